/**
 * When a caller's sound interrupts the answer that they hear: once it has lasted, or has words that ask for a turn.
 *
 *   cough   ▒▒           no words, and too short: nothing is told
 *   "mhm"   ▒▒▒▒         listening, not talking, where such words are ignored
 *   "wait"  ▒▒▒│         its first word
 */
import type { Word } from "../../engine/protocol/recognition.ts";

/**
 * `afterMs`: how long sound without a word must last; 0: it interrupts at once. `ignoresBackchannels`: words with which
 * people show that they listen do not, if they are short. `resumes`: an answer goes on where no words had interrupted it.
 */
export type Interruption = { afterMs: number; ignoresBackchannels: boolean; resumes: boolean };

/** A longer turn is one, whatever its words are. */
const BACKCHANNEL_MAX_MS = 1000;

/** Of the languages that recognizers know best; a phrase of several words stands with spaces. */
const BACKCHANNELS = new Set([
  ...[
    "mhm",
    "mm",
    "mmm",
    "mmhm",
    "mmhmm",
    "mm hm",
    "mm hmm",
    "uh huh",
    "uhhuh",
    "hm",
    "hmm",
    "ah",
    "aha",
    "oh",
    "eh",
  ],
  ...["yeah", "yep", "yes", "okay", "ok", "right", "sure", "i see", "got it", "really", "wow"],
  ...["ja", "genau", "ach so", "stimmt", "klar", "oké", "precies", "oui", "ouais", "d accord", "voilà"],
  ...["sí", "vale", "claro", "ajá", "sì", "certo", "va bene", "sim", "tá", "tak", "no tak", "jasne"],
  ...[
    "да",
    "угу",
    "ага",
    "понятно",
    "так",
    "はい",
    "うん",
    "ええ",
    "なるほど",
    "嗯",
    "对",
    "好",
    "是",
    "네",
    "응",
    "예",
  ],
  ...["हाँ", "जी", "अच्छा", "हम्म"],
]);

function isBackchannel(text: string): boolean {
  const words = text.toLowerCase().match(/[\p{L}\p{M}]+/gu) ?? [];
  const pairs = words.join(" ");
  return words.length > 0 && (BACKCHANNELS.has(pairs) || words.every((word) => BACKCHANNELS.has(word)));
}

/** What is known of a turn that began while an answer is heard. */
type Sound = { spokenMs: number; words: readonly Word[] };

export function interrupts({ afterMs, ignoresBackchannels }: Interruption, sound: Sound): boolean {
  const text = sound.words.map((word) => word.text).join(" ");
  if (text !== "" && !isBackchannel(text)) return true;
  return sound.spokenMs >= (ignoresBackchannels ? BACKCHANNEL_MAX_MS : afterMs);
}

/** Whether a turn that has ended, and interrupted nothing, is none. */
export function isIgnored({ ignoresBackchannels }: Interruption, transcript: string): boolean {
  return transcript === "" || (ignoresBackchannels && isBackchannel(transcript));
}
