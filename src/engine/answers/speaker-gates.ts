/** The gates of the tasks that tell speakers apart: of one voice, of some windows, of a whole recording. */
import { ASR_SAMPLE_RATE } from "../../audio/rates.ts";
import {
  type Diarization,
  type LocalSpeaker,
  type SpeakersTask,
  type VoiceTask,
  WINDOW_FRAMES,
  type WindowsResult,
  type WindowsTask,
} from "../protocol/diarization.ts";
import { fieldsOf, listOf, mustBe, numberIn, wholeIn } from "./faulty-answer.ts";
import { type Gate, resultOnly } from "./gate.ts";

const SPEAKERS_OF_WINDOW = 3;
const ACTIVITY_MAX = 2 ** SPEAKERS_OF_WINDOW - 1;
const EMBEDDING_MAX = 4096; // values of a voice
const SLACK_SECONDS = 10; // the last window may be silence

export const voiceGate = ({ voice }: VoiceTask): Gate =>
  resultOnly(voice.length / ASR_SAMPLE_RATE, bytesOf(EMBEDDING_MAX), (value) => {
    mustBe(value instanceof Float32Array && value.length <= EMBEDDING_MAX, "it is no voice");
    mustBe(value.every(Number.isFinite), "it is a voice of no numbers");
    return value;
  });

export function windowsGate({ samples, count }: WindowsTask): Gate {
  const frames = count * WINDOW_FRAMES;
  const speakersMax = SPEAKERS_OF_WINDOW * count;
  const bytesMax = bytesOf(frames + speakersMax * EMBEDDING_MAX);
  return resultOnly(samples.length / ASR_SAMPLE_RATE, bytesMax, (value): WindowsResult => {
    const { activity, speakers, embeddings } = fieldsOf(value, "the windows");
    mustBe(activity instanceof Float32Array && activity.length === frames, `it has not ${frames} frames`);
    mustBe(activity.every(isActivity), "its activity is none");
    const found = listOf(speakers, "the list of speakers", speakersMax).map((each): LocalSpeaker => {
      const { window, speaker } = fieldsOf(each, "a speaker");
      return {
        window: wholeIn(window, "a window", { min: 0, max: count - 1 }),
        speaker: wholeIn(speaker, "a speaker", { min: 0, max: SPEAKERS_OF_WINDOW - 1 }),
      };
    });
    mustBe(embeddings instanceof Float32Array && isTable(embeddings, found.length), "it lacks embeddings");
    return { activity, speakers: found, embeddings };
  });
}

const isActivity = (value: number) => Number.isInteger(value) && value >= 0 && value <= ACTIVITY_MAX;

/** As many values for each of the rows, all of them numbers. */
function isTable(values: Float32Array, rows: number): boolean {
  if (rows === 0) return values.length === 0;
  const columns = values.length / rows;
  return (
    Number.isInteger(columns) && columns >= 1 && columns <= EMBEDDING_MAX && values.every(Number.isFinite)
  );
}

export function speakersGate({ sampleCount, activity, speakers, known }: SpeakersTask): Gate {
  const seconds = sampleCount / ASR_SAMPLE_RATE;
  const time = { min: 0, max: seconds + SLACK_SECONDS };
  const speaker = { min: 0, max: Math.max(SPEAKERS_OF_WINDOW, speakers.length + known.length) };
  return resultOnly(seconds, 0, (value): Diarization => {
    const fields = fieldsOf(value, "the speakers");
    let last = 0;
    const turns = listOf(fields.turns, "the list of turns", activity.length).map((each) => {
      const turn = fieldsOf(each, "a turn");
      const start = numberIn(turn.start, "the start of a turn", { ...time, min: last });
      last = start;
      return {
        start,
        end: numberIn(turn.end, "the end of a turn", { ...time, min: start }),
        speaker: wholeIn(turn.speaker, "the speaker of a turn", speaker),
      };
    });
    const voices = listOf(fields.known, "the list of known speakers", known.length);
    mustBe(voices.length === known.length, "it lacks known speakers");
    return {
      turns,
      known: voices.map((each) => (each === null ? null : wholeIn(each, "a known speaker", speaker))),
    };
  });
}

const bytesOf = (values: number) => values * Float32Array.BYTES_PER_ELEMENT;
