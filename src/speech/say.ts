/**
 * Text to samples: the plan's segments through an engine, in order, a few ahead of the listener.
 *
 *   plan      s0  s1  s2  s3 …
 *   engine    ████████              at most AHEAD segments asked for and not yet taken
 *   listener  s0 (pause) s1 …       taking one asks for the next
 *
 * Leaving the loop early, or the claim's signal, asks for no further segment: so a disconnect stops the engine.
 */

import type { Claim } from "../engine/queue.ts";
import { SPEECH_RATE, type SpeechTask } from "../engine/task.ts";
import { Fault } from "../errors.ts";
import { type PlannedSegment, planSpeech } from "./plan.ts";
import type { Speakers } from "./speakers.ts";

/** What to say and how, by which family. `language` decides how numbers and abbreviations are read. */
export type Utterance = SpeechTask & { family: string; claim: Claim };

const AHEAD = 3;

/** Float32 samples at `SPEECH_RATE`, segment by segment with the pauses between them; empty when nothing is sayable. */
export async function* say(speakers: Speakers, utterance: Utterance): AsyncGenerator<Float32Array> {
  const { family, text, claim, ...delivery } = utterance;
  const plan = planSpeech(text, delivery.language);
  const ask = (segment: PlannedSegment) => {
    const samples = speakers.say(family, { ...delivery, text: segment.text }, claim);
    samples.catch(() => {}); // a segment that nobody waits for any more may fail unheard
    return { segment, samples };
  };
  const asked = plan.slice(0, AHEAD).map(ask);
  let owedMs = 0; // a pause is paid only once more speech follows it
  for (let next = asked.length; asked.length > 0; next++) {
    claim.signal.throwIfAborted();
    const { segment, samples } = asked.shift()!;
    const spoken = await heard(samples);
    const following = plan[next];
    if (following) asked.push(ask(following));
    if (spoken.length > 0) {
      if (owedMs > 0) yield new Float32Array(pauseLength(owedMs, delivery.speed));
      yield spoken;
      owedMs = 0;
    }
    owedMs = Math.max(owedMs, segment.pauseMs);
  }
}

const pauseLength = (pauseMs: number, speed: number) => Math.round((pauseMs * SPEECH_RATE) / 1000 / speed);

async function heard(samples: Promise<Float32Array>): Promise<Float32Array> {
  try {
    return await samples;
  } catch (cause) {
    if (cause instanceof Fault) throw cause;
    throw new Fault("inference_unavailable", "The speech engine failed. Try again.", { cause });
  }
}
