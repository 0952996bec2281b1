/** The answer to a recording: its text, its words, and other formats that were asked for. */

import { speakerLines } from "../../../transcription/speakers/by-speaker.ts";
import { srt } from "../../../transcription/subtitles.ts";
import type { Heard } from "../recordings.ts";
import type { AdditionalFormat, Granularity } from "./scribe-form.ts";
import { type HeardWord, wordEntries } from "./scribe-words.ts";

export type ScribeOptions = { id: string; granularity: Granularity; formats: readonly AdditionalFormat[] };

export function scribeBody(heard: Heard, { id, granularity, formats }: ScribeOptions) {
  const { text, language, durationSeconds } = heard;
  return {
    language_code: language,
    language_probability: 1,
    text,
    words: wordEntries(wordsOf(heard), granularity),
    transcription_id: id,
    audio_duration_secs: Math.round(durationSeconds * 1000) / 1000,
    ...(formats.length > 0 ? { additional_formats: formats.map((format) => formatted(heard, format)) } : {}),
  };
}

/** Speakers are numbered in the order in which they are first heard. */
function wordsOf({ segments, speakers }: Heard): HeardWord[] {
  const ids = new Map<string, string>();
  return segments.flatMap(({ words, speaker = "" }) => {
    const id = speakers ? (ids.get(speaker) ?? `speaker_${ids.size}`) : null;
    if (id !== null) ids.set(speaker, id);
    return words.map((word) => ({ ...word, speaker: id }));
  });
}

const KINDS: Record<AdditionalFormat, { type: string; extension: string; write: (heard: Heard) => string }> =
  {
    srt: { type: "text/srt", extension: "srt", write: srt },
    txt: {
      type: "text/plain",
      extension: "txt",
      write: (heard) => (heard.speakers ? speakerLines(heard.segments) : heard.text),
    },
    segmented_json: {
      type: "application/json",
      extension: "json",
      write: ({ language, ...heard }) =>
        JSON.stringify({
          language_code: language,
          segments: heard.segments.map((segment) => ({
            text: segment.text,
            words: wordEntries(wordsOf({ language, ...heard, segments: [segment] }), "word"),
          })),
        }),
    },
  };

function formatted(heard: Heard, format: AdditionalFormat) {
  const { type, extension, write } = KINDS[format];
  return {
    requested_format: format,
    file_extension: extension,
    content_type: type,
    is_base64_encoded: false,
    content: write(heard),
  };
}
