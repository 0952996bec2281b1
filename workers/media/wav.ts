/** Reads WAV uploads on a thread: bytes in, mono samples at the asked rate out, null for what it cannot read. */
import { move, transferableSymbol, valueSymbol } from "piscina";
import { parseWav } from "../../src/audio/reading/wav-file.ts";
import { resample } from "../../src/audio/resample/resample.ts";
import type { WavAnswer } from "../../src/engine/media/decode-report.ts";
import type { WavTask } from "../../src/engine/media/media-decoder.ts";

export default function readWav({ bytes, maxSeconds, sampleRate: target }: WavTask): unknown {
  const parsed = parseWav(bytes, maxSeconds);
  if (parsed === null) return null;
  const { sampleRate, truncated, seconds, declaredSeconds, unreadBytes } = parsed;
  if (truncated) return { samples: null, report: { declaredSeconds: seconds } } satisfies WavAnswer;
  const samples = resample(parsed.samples, sampleRate, target);
  const report = { unreadBytes, declaredSeconds: declaredSeconds ?? 0 };
  const answer: WavAnswer = { samples, report };
  return move({ [transferableSymbol]: samples.buffer, [valueSymbol]: answer } as never);
}
