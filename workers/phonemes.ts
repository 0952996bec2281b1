/**
 * Text to phonemes, in a process of its own because eSpeak NG is GPL: English by dictionaries where they are installed,
 * what they lack and every other language by eSpeak NG.
 *
 *   { id, task } ──> this process ──> { id, samples: phonemes } or { id, error }        one at a time, in order
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { toCardinal } from "n2words/zh-Hans-CN";
import { pinyin } from "pinyin-pro";
import { chinese } from "../src/phonemes/chinese.ts";
import { beginsWith, EnglishWords, type Following } from "../src/phonemes/english.ts";
import { englishOf, kokoroOf } from "../src/phonemes/kokoro.ts";
import { sayRuns, splitMarks } from "../src/phonemes/marks.ts";
import type { ReadingTask } from "../src/phonemes/reading.ts";

/** Names of languages that this build knows by another. */
const NAMES: Record<string, string> = { "en-gb": "en", "fr-fr": "fr", "pt-pt": "pt" };

type Espeak = {
  set_voice(name: string): number;
  /** Answers where the text lies in the module's memory. */
  text_to_phonemes(text: string, ipa: number): { ptr: number };
};

const { espeak, memory } = await load();
const dictionaries = new Map<string, EnglishWords>();
process.on("message", ({ id, task }: { id: number; task: ReadingTask }) => {
  try {
    process.send!({ id, samples: read(task) });
  } catch (error) {
    process.send!({ id, error: String(error) });
  }
});
process.on("disconnect", () => process.exit(0));

function read({ text, alphabet, voice, dictionaries: folder }: ReadingTask): string {
  const runs = splitMarks(text);
  if (alphabet === "ipa")
    return sayRuns(runs, (words) =>
      unitsOf(words, voice)
        .map((units) => units.join(""))
        .join(" "),
    );
  if (voice === "cmn") return sayRuns(runs, (words) => chinese(words, mandarin(folder)));
  if (!voice.startsWith("en")) return sayRuns(runs, (words) => kokoroOf(unitsOf(words, voice)));
  const british = voice === "en-gb";
  const lexicon = folder === null ? null : open(folder, british);
  return sayRuns(runs, (words) => sayEnglish(words, lexicon, { voice, british }));
}

/** English inside of it is said as English. */
const mandarin = (folder: string | null) => ({
  pinyinOf: (word: string) => pinyin(word, { toneType: "num", type: "array", v: true }),
  numberOf: (digits: string) => toCardinal(digits),
  otherwise: (word: string) =>
    sayEnglish(word, folder === null ? null : open(folder, false), { voice: "en-us", british: false }),
});

/** From the last word to the first: how some are said depends on what follows. */
function sayEnglish(
  text: string,
  lexicon: EnglishWords | null,
  { voice, british }: { voice: string; british: boolean },
): string {
  const said: string[] = [];
  let following: Following = null;
  for (const word of text.split(/[\s\-–/]+/).reverse()) {
    if (word === "") continue;
    const clean = word.replace(/[‘’]/g, "'");
    const phonemes: string = lexicon?.say(clean, following) ?? otherwise(clean, lexicon, { voice, british });
    said.unshift(phonemes);
    following = beginsWith(phonemes) ?? following;
  }
  return said.join(" ");
}

/** A word that no dictionary has: as eSpeak NG says it, or letter by letter where it is not here. */
function otherwise(
  word: string,
  lexicon: EnglishWords | null,
  { voice, british }: { voice: string; british: boolean },
): string {
  if (espeak === null && lexicon !== null) return lexicon.spell(word);
  return englishOf(unitsOf(word, voice).flat(), british);
}

/** Words of phonemes. Marks of a change of language say nothing here. */
function unitsOf(text: string, voice: string): string[][] {
  if (espeak === null) throw new Error("eSpeak NG is not installed: npm install --include=optional");
  if (espeak.set_voice(NAMES[voice] ?? voice) !== 0) throw new Error(`eSpeak NG has no voice ${voice}`);
  const plain = text.replace(/[<>[\]\\|{}]/g, " ").replaceAll("\0", " ");
  const phonemes = textAt(espeak.text_to_phonemes(plain, 1).ptr).replace(/\([a-z-]+\)/g, "");
  return phonemes
    .split(/[\s|]+/)
    .map((word) => word.split("_").filter(Boolean))
    .filter(({ length }) => length > 0);
}

function textAt(place: number): string {
  const bytes = memory();
  return Buffer.from(bytes.subarray(place, bytes.indexOf(0, place))).toString();
}

function open(folder: string, british: boolean): EnglishWords {
  const name = british ? "gb" : "us";
  const known = dictionaries.get(`${folder} ${name}`);
  if (known) return known;
  const entries = (kind: string) => JSON.parse(readFileSync(join(folder, `${name}_${kind}.json`), "utf8"));
  const opened = new EnglishWords(entries("gold"), entries("silver"), british);
  dictionaries.set(`${folder} ${name}`, opened);
  return opened;
}

/** Without the package English is what the dictionaries know. */
async function load(): Promise<{ espeak: Espeak | null; memory: () => Uint8Array }> {
  const name = "@echogarden/espeak-ng-emscripten";
  try {
    const data = readFileSync(fileURLToPath(import.meta.resolve(`${name}/espeak-ng.data`)));
    const { default: start } = await import(name);
    const module = await start({
      getPreloadedPackage: () => data.buffer,
      print: () => {},
      printErr: () => {},
    });
    return { espeak: new module.eSpeakNGWorker(), memory: () => module.HEAPU8 };
  } catch {
    return { espeak: null, memory: () => new Uint8Array(0) };
  }
}
