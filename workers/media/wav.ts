/** Reads WAV uploads on a thread: bytes in, mono samples at `ASR_SAMPLE_RATE` out, null for what it cannot read. */
import { move } from "piscina";
import { ASR_SAMPLE_RATE } from "../../src/audio/rates.ts";
import { resample } from "../../src/audio/resample.ts";
import { parseWav } from "../../src/audio/wav.ts";

export default function readWav({ bytes, maxSeconds }: { bytes: Uint8Array; maxSeconds: number }): unknown {
  const parsed = parseWav(bytes, maxSeconds);
  if (parsed === null) return null;
  const { samples, sampleRate, truncated } = parsed;
  if (truncated) return "too long";
  return move(resample(samples, sampleRate, ASR_SAMPLE_RATE));
}
