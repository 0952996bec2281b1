/**
 * Text to phonemes, in a process of its own because eSpeak NG is GPL: English with dictionaries if they are installed,
 * unknown words and all other languages with eSpeak NG.
 *
 * The argument is the folder of the dictionaries, if there is one. The process reads its files, then confines itself.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { pinyin } from "pinyin-pro";
import type { G2pTask } from "../../src/engine/protocol/g2p.ts";
import { serveTasks } from "../sandbox/serve-tasks.ts";
import { englishOf, kokoroOf } from "../tts/kokoro/phonemes.ts";
import { quantity, readChinese } from "./chinese/numbers.ts";
import { chinese } from "./chinese/syllables.ts";
import { EnglishWords } from "./english/words.ts";
import { type Speaker, sayEnglish } from "./english.ts";
import { espeakText } from "./espeak-text.ts";
import { joinRuns, splitMarks } from "./marks.ts";
import { joinPauses } from "./pauses.ts";

/** Languages that this build of eSpeak NG has under another name. */
const NAMES: Record<string, string> = { "en-gb": "en", "fr-fr": "fr", no: "nb", "pt-pt": "pt" };

type Espeak = {
  set_voice(name: string): number;
  /** Returns the address of the text in the module's memory. */
  text_to_phonemes(text: string, ipa: number): { ptr: number };
};

const { espeak, memory } = await load();
const AMERICAN = speaker("us");
const BRITISH = speaker("gb");

/** English words in Chinese text are pronounced as English. */
const MANDARIN = {
  pinyinOf: (word: string) => pinyin(word, { toneType: "num", type: "array", v: true }),
  quantityOf: quantity,
  otherwise: (word: string) => sayEnglish(word, AMERICAN),
};
serveTasks(toPhonemes);

function toPhonemes({ text, alphabet, voice }: G2pTask): string {
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
  if (espeak === null) throw new Error("eSpeak NG is not installed: npm install --include=optional");
  const name = Object.hasOwn(NAMES, voice) ? NAMES[voice]! : voice;
  if (espeak.set_voice(name) !== 0) throw new Error(`eSpeak NG has no voice ${voice}`);
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
      if (espeak === null && words !== null) return words().spell(word);
      return englishOf(unitsOf(word, isBritish ? "en-gb" : "en-us").flat(), isBritish);
    },
  };
}

/** Read now, before confinement; parsed on first use. */
function dictionary(name: "us" | "gb"): (() => EnglishWords) | null {
  const folder = process.argv[2];
  const paths = ["gold", "silver"].map((kind) => join(folder ?? "", `${name}_${kind}.json`));
  if (folder === undefined || !paths.every(existsSync)) return null;
  const texts = paths.map((path) => readFileSync(path, "utf8"));
  let known: EnglishWords | null = null;
  return () => {
    const [gold, silver] = known ? [] : texts.splice(0).map((text) => JSON.parse(text));
    known ??= new EnglishWords(gold, silver, name === "gb");
    return known;
  };
}

/** Null without the package: English is then limited to the dictionaries. */
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
