/** Reads WAV uploads on a thread: bytes in, mono samples at the asked rate out, null for what it cannot read. */
import { move } from "piscina";
import { resample } from "../../src/audio/resample.ts";
import { parseWav } from "../../src/audio/wav.ts";

type Task = { bytes: Uint8Array; maxSeconds: number; sampleRate: number };

export default function readWav({ bytes, maxSeconds, sampleRate: target }: Task): unknown {
  const parsed = parseWav(bytes, maxSeconds);
  if (parsed === null) return null;
  const { samples, sampleRate, truncated } = parsed;
  if (truncated) return "too long";
  return move(resample(samples, sampleRate, target));
}
