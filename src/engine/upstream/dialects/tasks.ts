/** One segment synthesized, and one piece of a recording recognized, by one request each. */
import { join } from "../../../audio/pcm.ts";
import type { Hypothesis, RecognitionTask } from "../../protocol/recognition.ts";
import type { SynthesisTask } from "../../protocol/synthesis.ts";
import { openExchange, readJson, type Sending } from "../transport/exchange.ts";
import type { SpeechFlags, TranscriptionFlags } from "./preset.ts";
import { hypothesesOf } from "./recognition-answer.ts";
import { recognitionRequest } from "./recording-form.ts";
import { synthesisRequest } from "./speech-body.ts";
import { SpeechReader } from "./speech-reader.ts";

/** `answered` is called when all went well, with the time to the first byte. */
type Answered = { answered: (latencyMs: number) => void };

type Segment = Answered & {
  flags: SpeechFlags;
  model: string;
  /** Receives samples while they arrive; the result is then the rest. */
  deliver: ((samples: Float32Array) => void) | undefined;
};

export async function synthesizeSegment(
  task: SynthesisTask,
  { flags, model, deliver, answered }: Segment,
  sending: Sending,
): Promise<Float32Array> {
  const begunMs = performance.now();
  using exchange = await openExchange(synthesisRequest(task, flags, model), sending);
  const reader = new SpeechReader(task, { flags, contentType: exchange.contentType });
  let latencyMs: number | null = null;
  let gathered = new Float32Array(0) as Float32Array;
  for await (const chunk of exchange.chunks()) {
    latencyMs ??= performance.now() - begunMs;
    const samples = reader.push(chunk);
    if (samples.length === 0) continue;
    if (deliver) deliver(samples);
    else gathered = join(gathered, samples);
  }
  const last = reader.finish();
  answered(latencyMs ?? performance.now() - begunMs);
  return join(gathered, last);
}

type RecordingPiece = Answered & {
  flags: TranscriptionFlags;
  model: string;
  piece: { samples: Float32Array; offsetSeconds: number };
};

export async function recognizePiece(
  task: RecognitionTask,
  { flags, model, piece, answered }: RecordingPiece,
  sending: Sending,
): Promise<Hypothesis[]> {
  const begunMs = performance.now();
  using exchange = await openExchange(recognitionRequest(piece.samples, task, { flags, model }), sending);
  const hypotheses = hypothesesOf(await readJson(exchange), piece, flags);
  answered(performance.now() - begunMs);
  return hypotheses;
}
