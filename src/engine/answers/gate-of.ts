/** Which gate the answer to a task goes through, by what the task asks for. */
import { ASR_SAMPLE_RATE, TTS_SAMPLE_RATE } from "../../audio/rates.ts";
import { type Task, unknownKind } from "../protocol/task.ts";
import type { TurnTask } from "../protocol/turn.ts";
import type { VoiceEncodingTask } from "../protocol/voice-encoding.ts";
import { fieldsOf, listOf, mustBe, numberIn, wholeIn } from "./faulty-answer.ts";
import { type Gate, resultOnly } from "./gate.ts";
import { speakersGate, voiceGate, windowsGate } from "./speaker-gates.ts";
import { speechGate } from "./speech-gate.ts";
import type { StreamGates } from "./stream-gates.ts";
import { transcriptGate } from "./transcript-gate.ts";

/** `isEarly`: whether its caller takes samples before the result. `streams`: of the engine whose task it is. */
export type GateOf = (task: Task, options: { isEarly: boolean; streams: StreamGates }) => Gate;

/** Throws where the task is none of an engine node, so that no answer to it is taken unseen. */
export const gateOf: GateOf = (task, { isEarly, streams }) => {
  switch (task.kind) {
    case "synthesis":
      return speechGate(task, isEarly);
    case "voice-encoding":
      return encodingGate(task);
    case "recognition":
      return transcriptGate(task);
    case "streaming-recognition":
      return streams.gate(task);
    case "turn":
      return turnGate(task);
    case "speaker-windows":
      return windowsGate(task);
    case "speaker-voice":
      return voiceGate(task);
    case "speakers":
      return speakersGate(task);
    case "speech-search":
    case "voice-activity":
    case "phonemes":
    case "plan":
    case "origins":
      throw new Error(`a task of the kind ${task.kind}, whose answer has no bounds`);
    default:
      return unknownKind(task);
  }
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
