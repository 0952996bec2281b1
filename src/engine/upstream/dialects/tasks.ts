/** One segment synthesized, and one piece of a recording recognized, by one request each. */
import { joinAll } from "../../../audio/pcm.ts";
import type { Hypothesis, RecognitionTask } from "../../protocol/recognition.ts";
import type { SynthesisResult, SynthesisTask } from "../../protocol/synthesis.ts";
import { openExchange, readJson, type Sending } from "../transport/exchange.ts";
import type { SpeechFlags, TranscriptionFlags } from "./preset.ts";
import { hypothesesOf } from "./recognition-answer.ts";
import { recognitionRequest } from "./recording-form.ts";
import { synthesisRequest } from "./speech-body.ts";
import { SpeechReader } from "./speech-reader.ts";
import { timedSamples } from "./timed-speech.ts";

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
): Promise<SynthesisResult> {
  const begunMs = performance.now();
  const asked = deliver || !flags.files_whole ? flags : { ...flags, stream: "none" as const };
  using exchange = await openExchange(synthesisRequest(task, asked, model), sending);
  if (task.words) {
    const timed = timedSamples(await readJson(exchange), task, { flags });
    answered(performance.now() - begunMs);
    return timed;
  }
  const reader = new SpeechReader(task, { flags, contentType: exchange.contentType });
  let latencyMs: number | null = null;
  const gathered: Float32Array[] = [];
  for await (const chunk of exchange.chunks()) {
    latencyMs ??= performance.now() - begunMs;
    const samples = reader.push(chunk);
    if (samples.length === 0) continue;
    if (deliver) deliver(samples);
    else gathered.push(samples);
  }
  const last = reader.finish();
  answered(latencyMs ?? performance.now() - begunMs);
  return joinAll([...gathered, last]);
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
