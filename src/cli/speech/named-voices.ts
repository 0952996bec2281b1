/** Known speakers, as `--speaker NAME=FILE` gives them: a name and a short recording of the person. */
import { existsSync } from "node:fs";
import { InvalidArgumentError } from "@commander-js/extra-typings";
import { ASR_SAMPLE_RATE } from "../../audio/rates.ts";
import { UsageError } from "../base/output.ts";

export type NamedVoice = { name: string; path: string };

const VOICES_MAX = 4; // as many as a request names
const SECONDS = { min: 1.2, max: 10 };

/** One more. */
export function namedVoice(text: string, before: NamedVoice[] = []): NamedVoice[] {
  const cut = text.indexOf("=");
  const [name, path] = [text.slice(0, cut).trim(), text.slice(cut + 1)];
  if (cut < 0 || name === "" || path === "" || /\p{Cc}/u.test(name))
    throw new InvalidArgumentError("It must be NAME=FILE, such as Ada=ada.wav.");
  if (before.some((voice) => voice.name === name)) throw new InvalidArgumentError(`${name} is named twice.`);
  if (before.length === VOICES_MAX) throw new InvalidArgumentError(`There may be ${VOICES_MAX} of them.`);
  return [...before, { name, path }];
}

type Decode = (path: string) => AsyncIterable<Float32Array>;

/** Samples of each, 16 kHz. */
export async function readVoices(voices: readonly NamedVoice[], decode: Decode): Promise<Float32Array[]> {
  const all: Float32Array[] = [];
  for (const { name, path } of voices) {
    if (!existsSync(path)) throw new UsageError(`${path} does not exist.`);
    all.push(await readVoice(`${name}, ${path}`, decode(path)));
  }
  return all;
}

async function readVoice(what: string, blocks: AsyncIterable<Float32Array>): Promise<Float32Array> {
  const samples = new Float32Array(Math.round((SECONDS.max + 1) * ASR_SAMPLE_RATE));
  let count = 0;
  for await (const block of blocks) {
    if (count < samples.length) samples.set(block.subarray(0, samples.length - count), count);
    count = Math.min(samples.length, count + block.length);
    if (count === samples.length) break;
  }
  const seconds = count / ASR_SAMPLE_RATE;
  if (seconds < SECONDS.min || count === samples.length)
    throw new UsageError(`${what}: a voice must be ${SECONDS.min} to ${SECONDS.max} seconds long.`);
  return samples.slice(0, Math.min(count, SECONDS.max * ASR_SAMPLE_RATE));
}
