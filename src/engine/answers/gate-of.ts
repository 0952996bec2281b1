/** Which gate the answer to a task goes through, by what the task asks for. */
import { ASR_SAMPLE_RATE, TTS_SAMPLE_RATE } from "../../audio/rates.ts";
import type { RecognitionTask } from "../protocol/recognition.ts";
import type { StreamingTask } from "../protocol/streaming-recognition.ts";
import type { SynthesisTask } from "../protocol/synthesis.ts";
import type { TurnTask } from "../protocol/turn.ts";
import { isVoiceEncoding, type VoiceEncodingTask } from "../protocol/voice-encoding.ts";
import { fieldsOf, listOf, mustBe, numberIn, wholeIn } from "./faulty-answer.ts";
import { type Gate, resultOnly } from "./gate.ts";
import { speakersGate, voiceGate, windowsGate } from "./speaker-gates.ts";
import { speechGate } from "./speech-gate.ts";
import type { StreamGates } from "./stream-gates.ts";
import { transcriptGate } from "./transcript-gate.ts";

/** `isEarly`: whether its caller takes samples before the result. `streams`: of the engine whose task it is. */
export type GateOf = (task: object, options: { isEarly: boolean; streams: StreamGates }) => Gate;

/** Throws where nothing is known of the task, so that no answer to it is taken unseen. */
export const gateOf: GateOf = (task, { isEarly, streams }) => {
  if (isVoiceEncoding(task)) return encodingGate(task);
  if ("text" in task) return speechGate(task as SynthesisTask, isEarly);
  if ("port" in task) return transcriptGate(task as RecognitionTask);
  if ("feed" in task) return streams.gate(task as StreamingTask);
  if ("voice" in task) return voiceGate(task as Parameters<typeof voiceGate>[0]);
  if ("activity" in task) return speakersGate(task as Parameters<typeof speakersGate>[0]);
  if ("step" in task) return windowsGate(task as Parameters<typeof windowsGate>[0]);
  if ("samples" in task) return turnGate(task as TurnTask);
  throw new Error("a task whose answer has no bounds");
};

const turnGate = ({ samples }: TurnTask): Gate =>
  resultOnly(samples.length / ASR_SAMPLE_RATE, 0, (value) =>
    numberIn(value, "the probability of an end", { min: 0, max: 1 }),
  );

const ENCODING_BYTES_MAX = 16 * 1024 * 1024;
const DIMENSIONS_MAX = 8;

/** Whether its numbers are a voice is up to who asked for it. */
const encodingGate = ({ samples }: VoiceEncodingTask): Gate =>
  resultOnly(samples.length / TTS_SAMPLE_RATE, ENCODING_BYTES_MAX, (value) => {
    const fields = fieldsOf(value, "the voice");
    const { data } = fields;
    mustBe(data instanceof Float32Array, "the voice has no values");
    const shape = listOf(fields.shape, "its shape", DIMENSIONS_MAX).map((each) =>
      wholeIn(each, "a dimension", { min: 0, max: data.length }),
    );
    mustBe(shape.reduce((product, each) => product * each, 1) === data.length, "its shape is another");
    return { data, shape };
  });
