/**
 * Speech whose length is known before its first sample: every segment is measured first, and synthesized to that length.
 *
 * An engine that can measure returns a number and synthesizes the segment later. Any other synthesizes it at once, and the
 * spool holds the samples until they are needed.
 */

import type { PlannedSegment } from "../engine/protocol/plan.ts";
import { type SynthesisResult, samplesOf, type TimedSamples } from "../engine/protocol/synthesis.ts";
import type { Engine } from "../engine/registry.ts";
import type { Claim } from "../engine/runner.ts";
import type { Spool, Spooled } from "../memory/spool.ts";
import { openPace } from "./clip-time.ts";
import {
  ask,
  orUnavailable,
  pauseLength,
  type SegmentTask,
  type SynthesisRequest,
  synthesizeAll,
} from "./synthesize.ts";

type Speaker = { engine: Engine; spool: Spool };

/** Like `synthesize`, with the number of samples in advance. */
export async function synthesizeWithLength(
  { engine, spool }: Speaker,
  request: SynthesisRequest,
  plan: PlannedSegment[],
) {
  const pace = openPace(plan, request.speed);
  const answers = plan.map((segment) => ask(engine, request, { segment, length: "measure" }));
  for (const each of answers) each.catch(() => {}); // each is awaited below, in order
  const kept = spool.open();
  try {
    const tasks: SegmentTask[] = [];
    let sampleCount = 0;
    let owedMs = 0;
    for (const segment of plan) {
      const answer = await orUnavailable(answers.shift()!);
      const length = typeof answer === "number" ? answer : samplesOf(answer).length;
      pace.add(segment, length);
      const again =
        typeof answer === "number"
          ? (claim: Claim) => ask(engine, { ...request, claim }, { segment, length })
          : await keep(kept, answer);
      tasks.push({ segment, ask: again });
      if (length > 0) {
        sampleCount += length + (sampleCount > 0 ? pauseLength(owedMs, request.speed) : 0);
        owedMs = 0;
      }
      owedMs = Math.max(owedMs, segment.pauseMs);
    }
    return { samples: closing(synthesizeAll(tasks, request, null), kept), sampleCount };
  } catch (cause) {
    await kept.close();
    throw cause;
  }
}

/** Returns a function that reads the samples back. */
async function keep(
  kept: Spooled,
  result: Float32Array | TimedSamples,
): Promise<() => Promise<SynthesisResult>> {
  const { buffer, byteOffset, byteLength, length } = samplesOf(result);
  const offset = kept.sizeBytes();
  await kept.append(new Uint8Array(buffer, byteOffset, byteLength));
  return async () => {
    const bytes = await kept.read(offset, byteLength);
    const samples = new Float32Array(bytes.buffer, bytes.byteOffset, length);
    return result instanceof Float32Array ? samples : { ...result, samples };
  };
}

async function* closing(samples: AsyncGenerator<Float32Array>, kept: Spooled): AsyncGenerator<Float32Array> {
  try {
    yield* samples;
  } finally {
    await kept.close();
  }
}
