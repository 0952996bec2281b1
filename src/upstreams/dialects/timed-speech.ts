/** A clip with the times of its words, as one JSON object: the answer of `/dev/captioned_speech`. */
import { join } from "../../audio/pcm.ts";
import { TTS_SAMPLE_RATE } from "../../audio/rates.ts";
import { spokenWordsMax } from "../../engine/answers/speech-bounds.ts";
import type { SpokenWord, SynthesisTask, TimedSamples } from "../../engine/protocol/synthesis.ts";
import { UpstreamFailure } from "../transport/failure.ts";
import type { SpeechFlags } from "./preset.ts";
import { SpeechReader } from "./speech-reader.ts";

type Reading = { flags: Pick<SpeechFlags, "audio" | "rate"> };

/** Throws `UpstreamFailure` where it is no such object, or its audio cannot be that of the task. */
export function timedSamples(answer: unknown, task: SynthesisTask, { flags }: Reading): TimedSamples {
  const { audio, timestamps } = (answer ?? {}) as { audio?: unknown; timestamps?: unknown };
  if (typeof audio !== "string" || !Array.isArray(timestamps))
    throw new UpstreamFailure("faulty", "the answer has no audio with times");
  if (timestamps.length > spokenWordsMax(task.text))
    throw new UpstreamFailure("faulty", `${timestamps.length} words for ${task.text.length} characters`);
  const reader = new SpeechReader(task, { flags, contentType: "" });
  const first = reader.push(Buffer.from(audio, "base64"));
  const samples = join(first, reader.finish());
  return {
    samples,
    words: wordsIn(task.text, timestamps, { dropped: reader.dropped, until: samples.length }),
  };
}

/** Each word where it stands in the text; marks alone and words that do not stand there are left out. */
function wordsIn(
  text: string,
  timestamps: unknown[],
  { dropped, until }: { dropped: number; until: number },
) {
  const words: SpokenWord[] = [];
  let [place, last] = [0, 0];
  const sampleAt = (seconds: unknown) => {
    const at = Math.round(Number(seconds) * TTS_SAMPLE_RATE) - dropped;
    return Math.min(until, Math.max(last, Number.isFinite(at) ? at : 0));
  };
  for (const each of timestamps) {
    const { word, start_time, end_time } = (each ?? {}) as Partial<Record<string, unknown>>;
    const from = typeof word === "string" && /[\p{L}\p{N}]/u.test(word) ? text.indexOf(word, place) : -1;
    if (from < 0) continue;
    place = from + String(word).length;
    const start = sampleAt(start_time);
    last = start;
    last = sampleAt(end_time);
    words.push({ from, to: place, start, end: last });
  }
  return words;
}
