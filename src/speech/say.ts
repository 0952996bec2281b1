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
import { SPEECH_RATE, type SpeechResult, type SpeechTask } from "../engine/task.ts";
import type { Engine } from "../engine/workshop.ts";
import { Fault } from "../errors.ts";
import { type PlannedSegment, planSpeech } from "./plan.ts";

/** What to say and how, by which engine. `language` decides how numbers and abbreviations are read. */
export type Utterance = Omit<SpeechTask, "length" | "phonemes"> & { engine: string; claim: Claim };

/** A stretch of the clip: what an engine answers, asked for when it is wanted, and the silence after it. */
type Stretch = { pauseMs: number; ask: () => Promise<SpeechResult> };

const AHEAD = 3;

/** Float32 samples at `SPEECH_RATE`, segment by segment with the pauses between them; empty when nothing is sayable. */
export function say(speaker: Engine, utterance: Utterance): AsyncGenerator<Float32Array> {
  const { ask, plan } = openAsking(speaker, utterance);
  const stretches = plan.map((segment) => ({ pauseMs: segment.pauseMs, ask: () => ask(segment) }));
  return sayAll(stretches, utterance);
}

/**
 * The same, and how many samples it will be. An engine that can measures every segment first and is held to it; one that
 * cannot says it all here and now.
 */
export async function sayMeasured(speaker: Engine, utterance: Utterance) {
  const { ask, plan } = openAsking(speaker, utterance);
  const measured = plan.map((segment) => ask(segment, "measure"));
  for (const each of measured) each.catch(() => {}); // each is heard of below, in its turn
  const stretches: Stretch[] = [];
  let sampleCount = 0;
  let owedMs = 0;
  for (const [at, segment] of plan.entries()) {
    const said = await heard(measured[at]!);
    const length = typeof said === "number" ? said : said.length;
    const again = async () => said;
    stretches.push({
      pauseMs: segment.pauseMs,
      ask: typeof said === "number" ? () => ask(segment, length) : again,
    });
    if (length > 0) {
      sampleCount += length + (sampleCount > 0 ? pauseLength(owedMs, utterance.speed) : 0);
      owedMs = 0;
    }
    owedMs = Math.max(owedMs, segment.pauseMs);
  }
  return { samples: sayAll(stretches, utterance), sampleCount };
}

function openAsking(speaker: Engine, utterance: Utterance) {
  const { engine: _, text, claim, ...delivery } = utterance;
  const ask = (segment: PlannedSegment, length?: "measure" | number) => {
    const task: SpeechTask = { ...delivery, text: segment.text, ...(length === undefined ? {} : { length }) };
    return speaker.run<SpeechResult>(task, claim);
  };
  return { plan: planSpeech(text, delivery.language), ask };
}

async function* sayAll(stretches: Stretch[], { claim, speed }: Utterance): AsyncGenerator<Float32Array> {
  const begin = ({ pauseMs, ask }: Stretch) => {
    const said = ask();
    said.catch(() => {}); // a segment that nobody waits for any more may fail unheard
    return { pauseMs, said };
  };
  const asked = stretches.slice(0, AHEAD).map(begin);
  let owedMs = 0; // a pause is paid only once more speech follows it
  for (let next = asked.length; asked.length > 0; next++) {
    claim.signal.throwIfAborted();
    const { pauseMs, said } = asked.shift()!;
    const spoken = await heard(said);
    const following = stretches[next];
    if (following) asked.push(begin(following));
    if (typeof spoken === "number") throw new Error("an engine measured what it was to say");
    if (spoken.length > 0) {
      if (owedMs > 0) yield new Float32Array(pauseLength(owedMs, speed));
      yield spoken;
      owedMs = 0;
    }
    owedMs = Math.max(owedMs, pauseMs);
  }
}

const pauseLength = (pauseMs: number, speed: number) => Math.round((pauseMs * SPEECH_RATE) / 1000 / speed);

async function heard(samples: Promise<SpeechResult>): Promise<SpeechResult> {
  try {
    return await samples;
  } catch (cause) {
    if (cause instanceof Fault) throw cause;
    throw new Fault("inference_unavailable", "The speech engine failed. Try again.", { cause });
  }
}
