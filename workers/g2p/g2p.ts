/**
 * Text to phonemes, in its own process because eSpeak NG is GPL: English with dictionaries if they are installed,
 * unknown words and all other languages with eSpeak NG.
 *
 * The argument is the folder of the dictionaries, if there is one. The process reads its files, then confines itself.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseJson, readJsonText } from "../../src/engine/families/json-file.ts";
import type { G2pTask } from "../../src/engine/protocol/g2p.ts";
import { PRONUNCIATION } from "../../src/engine/protocol/signs.ts";
import { serveTasks } from "../sandbox/serve-tasks.ts";
import { englishOf, kokoroOf } from "../tts/kokoro/phonemes.ts";
import { quantity, readChinese } from "./chinese/numbers.ts";
import { plainSyllables, tonedSyllables } from "./chinese/pinyin.ts";
import { chinese } from "./chinese/syllables.ts";
import type { Entries } from "./english/dictionary.ts";
import { EnglishWords } from "./english/words.ts";
import { type Speaker, sayEnglish } from "./english.ts";
import { espeakText } from "./espeak-text.ts";
import { inLatin, writesHan } from "./foreign-script.ts";
import { phonemesInContext } from "./in-context.ts";
import { joinRuns, splitMarks } from "./marks.ts";
import { openEspeak } from "./open-espeak.ts";
import { joinPauses } from "./pauses.ts";

/** Languages that this build of eSpeak NG has under another name. */
const NAMES: Record<string, string> = { "en-gb": "en", "fr-fr": "fr", no: "nb", "pt-pt": "pt" };

/** Null without the package: English is then limited to the dictionaries. */
const opened = await openEspeak().catch(() => null);
const AMERICAN = speaker("us");
const BRITISH = speaker("gb");

/** English words in Chinese text are pronounced as English. */
const MANDARIN = {
  pinyinOf: tonedSyllables,
  quantityOf: quantity,
  otherwise: (word: string) => sayEnglish(word, AMERICAN),
};
serveTasks(({ context, ...task }: G2pTask) => {
  const say = (text: string) => toPhonemes({ ...task, text });
  return context ? phonemesInContext(task.text, context, say) : say(task.text);
});

/** Signs are pronounced as the task says, and the text between them as it is. */
function toPhonemes({ text, pronounced, ...task }: G2pTask): string {
  if (!pronounced) return textToPhonemes({ text, ...task });
  let phonemes = "";
  for (const piece of text.split(PRONUNCIATION)) {
    if (piece.trim() === "") continue;
    const known = pronounced[piece];
    const read = known ? ipaIn(known.ipa, task) : textToPhonemes({ text: piece, ...task });
    const isMark = /^[.,;:!?]/.test(read);
    phonemes += `${phonemes === "" || isMark ? "" : " "}${read}`;
  }
  return phonemes;
}

/** Written IPA in the alphabet of an engine. */
function ipaIn(ipa: string, { alphabet, voice }: Pick<G2pTask, "alphabet" | "voice">): string {
  const plain = ipa.replace(/[.|]/g, "").replace(/['’]/g, "ˈ");
  if (alphabet === "ipa") return plain;
  const words = plain.split(/\s/).filter((word) => word !== "");
  if (!voice.startsWith("en")) return kokoroOf(words.map((word) => [word]));
  return words.map((word) => englishOf([word], voice === "en-gb")).join(" ");
}

function textToPhonemes({ text: written, alphabet, voice }: G2pTask): string {
  const text = writesHan(voice) ? written : inLatin(written, plainSyllables);
  if (alphabet === "ipa")
    return joinPauses(espeakText(text, voice), (words) =>
      unitsOf(words, voice)
        .map((units) => units.join(""))
        .join(" "),
    );
  if (voice === "cmn") return sayRuns(readChinese(text), (words) => chinese(words, MANDARIN));
  if (voice.startsWith("en")) return sayEnglish(text, voice === "en-gb" ? BRITISH : AMERICAN);
  return sayRuns(espeakText(text, voice), (words) => kokoroOf(unitsOf(words, voice)));
}

const sayRuns = (text: string, say: (words: string) => string): string =>
  joinRuns(splitMarks(text, { dots: true }), (run) => say(run.text));

/** Words of phonemes, without the marks of a change of language. */
function unitsOf(text: string, voice: string): string[][] {
  if (opened === null) throw new Error("eSpeak NG is not installed");
  const { espeak } = opened;
  const name = Object.hasOwn(NAMES, voice) ? NAMES[voice]! : voice;
  if (espeak.set_voice(name) !== 0) throw new Error(`eSpeak NG has no voice ${voice}`);
  const plain = text.replace(/[<>[\]\\|{}]/g, " ").replaceAll("\0", " ");
  const phonemes = textAt(opened.memory(), espeak.text_to_phonemes(plain, 1).ptr).replace(/\([a-z-]+\)/g, "");
  return phonemes
    .split(/[\s|]+/)
    .map((word) => word.split("_").filter(Boolean))
    .filter(({ length }) => length > 0);
}

function textAt(bytes: Uint8Array, place: number): string {
  return Buffer.from(bytes.subarray(place, bytes.indexOf(0, place))).toString();
}

/** An accent of English: a word without a dictionary entry is pronounced by eSpeak NG, or spelled without it. */
function speaker(name: "us" | "gb"): Speaker {
  const isBritish = name === "gb";
  const words = dictionary(name);
  return {
    isBritish,
    get words() {
      return words?.() ?? null;
    },
    otherwise(word) {
      if (opened === null && words !== null) return words().spell(word);
      return englishOf(unitsOf(word, isBritish ? "en-gb" : "en-us").flat(), isBritish);
    },
  };
}

/** Read now, before confinement; parsed on first use. */
function dictionary(name: "us" | "gb"): (() => EnglishWords) | null {
  const folder = process.argv[2];
  const paths = ["gold", "silver"].map((kind) => join(folder ?? "", `${name}_${kind}.json`));
  if (folder === undefined || !paths.every(existsSync)) return null;
  const texts = paths.map(readJsonText);
  let known: EnglishWords | null = null;
  return () => {
    if (known) return known;
    const [gold, silver] = texts.map((text, at) => entriesIn(paths[at]!, text));
    known = new EnglishWords(gold!, silver!, name === "gb");
    texts.splice(0);
    return known;
  };
}

function entriesIn(path: string, text: string): Entries {
  const entries = parseJson(path, text);
  if (typeof entries === "object" && entries !== null && !Array.isArray(entries)) return entries as Entries;
  throw new Error(`${path}: the file must be an object`);
}
