/**
 * Promise: KittenTTS gives the samples of the published loop, whose ids and styles are computed here anew, for one caller
 * and for eight at once, and tells when words are heard.
 */
import { afterAll, expect, test } from "bun:test";
import { InferenceSession, Tensor } from "onnxruntime-node";
import type { SynthesisResult, SynthesisTask, TimedSamples } from "../../src/engine/protocol/synthesis.ts";
import { soleClaim } from "../../src/engine/runner.ts";
import { readNpz } from "../../src/numpy/npz.ts";
import {
  KITTEN_VOICES,
  kittenContents,
  kittenSettings,
  kittenStyle,
  zipOf,
} from "../../testing/packages/families/kitten.ts";
import { openTestStore } from "../../testing/packages/model-store.ts";
import { kittenRuns } from "../../workers/tts/kitten/phonemes.ts";

const store = openTestStore();
afterAll(() => store[Symbol.asyncDispose]());
const contents = kittenContents();
store.add("kitten-nano", "kitten", { contents });

/** Text, and its phonemes as eSpeak NG writes them. */
const TEXTS: [text: string, phonemes: string, spaced: string][] = [
  ["Hello", "həlˈoʊ", "həlˈoʊ ,"],
  ["Hello, world.", "həlˈoʊ, wˈɜːld.", "həlˈoʊ , wˈɜːld ."],
  ["Is it you? ", "ɪz ɪt jˈuː?", "ɪz ɪt jˈuː ?"],
  ["A button; no…", "ɐ bˈʌʔn\u0329; nˈoʊ.", "ɐ bˈʌʔn \u0329 ; nˈoʊ ."],
];

/** The table, sign by sign: a later one takes the place of an earlier one. */
function tableOf(): Map<string, number> {
  const punctuation = ';:,.!?¡¿—…"«»"" ';
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  const ipa =
    "ɑɐɒæɓʙβɔɕçɗɖðʤəɘɚɛɜɝɞɟʄɡɠɢʛɦɧħɥʜɨɪʝɭɬɫɮʟɱɯɰŋɳɲɴøɵɸθœɶʘɹɺɾɻʀʁɽʂʃʈʧʉʊʋⱱʌɣɤʍχʎʏʑʐʒʔʡʕʢǀǁǂǃˈˌːˑʼʴʰʱʲʷˠˤ˞↓↑→↗↘'\u0329'ᵻ";
  const table = new Map<string, number>();
  let id = 0;
  for (const symbol of `$${punctuation}${letters}${ipa}`) table.set(symbol, id++);
  return table;
}

const TAIL = 5000;

async function theirs(text: string, spaced: string, voice: number): Promise<Float32Array> {
  const table = tableOf();
  const ids = [0, ...[...spaced].map((symbol) => table.get(symbol)!), 10, 0];
  const plain = /[.!?,;:]$/.test(text.trim()) ? text.trim() : `${text.trim()},`;
  const row = Math.min(plain.length, 399);
  const session = await InferenceSession.create(contents.model!.bytes as Uint8Array);
  const { waveform } = await session.run({
    input_ids: new Tensor("int64", BigInt64Array.from(ids, BigInt), [1, ids.length]),
    style: new Tensor("float32", new Float32Array(256).fill(kittenStyle(voice, row)), [1, 256]),
    speed: new Tensor("float32", Float32Array.of(voice === 4 ? 0.9 : 0.8), [1]),
  });
  return (waveform!.data as Float32Array).slice(0, -TAIL);
}

function ours(task: Partial<SynthesisTask>): Promise<SynthesisResult> {
  const whole: SynthesisTask = {
    kind: "synthesis",
    text: "",
    language: "en-US",
    speaker: "Bella",
    speed: 1,
    instructions: "",
    ...task,
  };
  return store.registry.engine("kitten-nano").run(whole, soleClaim());
}

test("samples equal those of the published loop", async () => {
  const { voice_aliases } = kittenSettings();
  const cases = TEXTS.flatMap(([text, phonemes, spaced]) =>
    ["Bella", "Hugo"].map((speaker) => ({ text, phonemes, spaced, speaker })),
  );
  const compare = async ({ text, phonemes, spaced, speaker }: (typeof cases)[number]) => {
    const wave = await theirs(text, spaced, KITTEN_VOICES.indexOf(voice_aliases[speaker]!));
    const spoken = (await ours({ text, phonemes, speaker, length: wave.length })) as Float32Array;
    expect(spoken.length).toBe(wave.length);
    const worst = spoken
      .subarray(200, -200) // the ends are faded
      .reduce((most, sample, at) => Math.max(most, Math.abs(sample - wave[at + 200]!)), 0);
    expect(worst).toBeLessThan(1e-4);
  };
  for (const each of cases) await compare(each);
  await Promise.all(cases.map(compare));
});

test("ids equal a published vector, but for the comma of a text without a mark", () => {
  expect(kittenRuns("həˈloʊ").map(({ ids }) => ids)).toEqual([[50, 83, 156, 54, 57, 135, 16, 3]]);
  expect(kittenRuns("§")).toEqual([]);
});

test("words are heard where their phonemes are", async () => {
  const [text, phonemes] = ["Hello, world.", "həlˈoʊ, wˈɜːld."];
  const { samples, words } = (await ours({ text, phonemes, words: true })) as TimedSamples;
  const framesOf = (ids: number[]) =>
    ids.reduce((sum, id) => sum + Math.round(((id % 5) + 1) / Math.fround(0.8)), 0);
  const [run] = kittenRuns(phonemes);
  const [before, hello] = [framesOf([0]), framesOf(run!.ids.slice(0, 6))];
  expect(words.map(({ from, to }) => text.slice(from, to))).toEqual(["Hello,", "world."]);
  expect(words[0]!.end - words[0]!.start).toBe(600 * hello);
  expect(words[0]!.start).toBeLessThanOrEqual(600 * before);
  expect(words[1]!.end).toBeLessThanOrEqual(samples.length);
});

test("a text longer than one run takes is said in several", async () => {
  const runs = kittenRuns("həlˈoʊ, ".repeat(100));
  expect(runs.length).toBe(2);
  expect(Math.max(...runs.map(({ ids }) => ids.length))).toBeLessThanOrEqual(509);
  expect(runs[0]!.ids.at(-1)).toBe(3); // behind a comma
});

test("unknown voices and other archives are refused by name", async () => {
  await expect(ours({ text: "a", phonemes: "a", speaker: "Nobody" })).rejects.toThrow(
    "there is no voice Nobody",
  );
  expect(() => readNpz(Buffer.from("no archive"))).toThrow("it is no ZIP archive");
  expect(() => readNpz(zipOf([["a.npy", Buffer.from("\x93NUMPY\x01\x00\x04\x00'<f8", "latin1")]]))).toThrow(
    "a.npy holds no rows of floats",
  );
});
