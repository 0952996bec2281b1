/** POST /v1/speech-to-text: a form with a recording in, its transcript out. */

import { Elysia } from "elysia";
import type { Holding } from "../../../memory/budget.ts";
import { speakerLines } from "../../../transcription/speakers/by-speaker.ts";
import { srt } from "../../../transcription/subtitles.ts";
import { readUpload, type Upload } from "../../middleware/body/upload.ts";
import type { Admitted, MeteredCall } from "../../middleware/metering.ts";
import type { DialectServices } from "../dialect.ts";
import { fetchRecording } from "../fetched-recording.ts";
import { unsupported } from "../query.ts";
import { headerOf } from "../raw-audio.ts";
import { type Heard, hear } from "../recordings.ts";
import { type AdditionalFormat, addressIn, type Granularity, noFile, readScribeForm } from "./scribe-form.ts";
import { type HeardWord, wordEntries } from "./scribe-words.ts";

const ROUTE = {
  endpoint: "/elevenlabs/v1/speech-to-text",
  scope: "transcription:create",
  bucket: "seconds",
} as const;

export const scribeFile = (services: DialectServices) =>
  new Elysia().post(
    "/elevenlabs/v1/speech-to-text",
    ({ request, set }) => {
      const call = { request, set };
      return services.metered(call, ROUTE, (admitted) => answer(services, call, admitted));
    },
    { parse: "none", detail: { hide: true } },
  );

async function answer(services: DialectServices, call: MeteredCall, admitted: Admitted): Promise<Response> {
  const { catalogueFor, timeouts } = services;
  const { id, holding, principal } = admitted;
  using upload = await readUpload(call.request, { timeouts, holding, noFile });
  const { granularity, formats, isRaw, ...asked } = readScribeForm(upload.text);
  const named = addressIn(upload.text);
  if (named && upload.file.length > 0)
    throw unsupported(named.param, "the form has a file. Send the file, or its address.");
  using fetched = named
    ? await fetchRecording(services.guard, named.address, {
        ...{ holding, signal: admitted.signal, param: named.param, header: null },
      })
    : null;
  const received = fetched ?? upload;
  const recording = isRaw ? withHeader(received, holding) : received;
  const catalogue = catalogueFor(principal);
  const heard = await hear(services, { call, admitted, catalogue, upload: recording, asked });
  return Response.json(scribeBody(heard, { id, granularity, formats }));
}

/** Raw samples, copied behind the header of a recording. */
function withHeader(upload: Upload, holding: Holding): Upload {
  const header = headerOf({ encoding: "linear16", sampleRate: 16_000, channels: 1 });
  holding.take(header.length + upload.file.length);
  return { ...upload, file: Buffer.concat([header, upload.file]) };
}

/** The answer to a recording: its text, its words, and other formats that were asked for. */
type ScribeOptions = { id: string; granularity: Granularity; formats: readonly AdditionalFormat[] };

function scribeBody(heard: Heard, { id, granularity, formats }: ScribeOptions) {
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
