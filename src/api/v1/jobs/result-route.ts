/** GET /v1/audio/jobs/{id}/content: what a job has recognized, in any format that its recognition can give, or what it has spoken. */

import { Elysia } from "elysia";
import Type, { type Static } from "typebox";
import { JOB_FORMATS, JOB_MEDIA_TYPES } from "../../../audio/formats.ts";
import { Refusal } from "../../../errors.ts";
import { type Job, type Jobs, readingOf } from "../../../jobs/jobs.ts";
import { type SubtitleFormat, speechFile, subtitleFile } from "../../../jobs/speech-file.ts";
import type { SpeechJobs } from "../../../jobs/speech-jobs.ts";
import { checker } from "../../../schema.ts";
import { audioWarningsHeader } from "../../middleware/response-headers.ts";
import { pulled } from "../../middleware/stream.ts";
import { json, KEY_REFUSALS, operation, ref } from "../../openapi/operation.ts";
import { readQuery } from "../organization/admin-query.ts";
import type { KeyAccess } from "../organization/key-access.ts";
import { FORMATS } from "../transcription-request.ts";
import { transcriptResponse, type Writing } from "../transcriptions.ts";
import { ownJob } from "./own-job.ts";

const Query = Type.Object({
  response_format: Type.Optional(
    Type.Enum([...FORMATS, ...JOB_FORMATS], {
      description: "The form of the transcript; that of the job unless said. Speech has that of its job.",
    }),
  ),
  timestamp_granularities: Type.Optional(
    Type.Array(Type.Enum(["word", "segment"]), {
      maxItems: 10,
      description: "For verbose_json: what has times.",
    }),
  ),
  include: Type.Optional(
    Type.Array(Type.Enum(["logprobs"]), { maxItems: 10, description: "For json: of each word." }),
  ),
  chapter: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1000, description: "Of speech: only this chapter, from 1." }),
  ),
  format: Type.Optional(
    Type.Enum(["vtt", "srt"], {
      description: "Of speech: subtitles of it, where its engine knows when words are heard.",
    }),
  ),
});
const query = checker(Query);

type ResultDeps = SoundDeps & { access: KeyAccess; jobs: Pick<Jobs, "find" | "read"> };
type Received = { request: Request; params: Record<string, string> };

export function resultRoute({ access, jobs, ...sounds }: ResultDeps) {
  const own = ownJob(jobs);
  const handle = async ({ request, params }: Received): Promise<Response> => {
    const principal = await access(request);
    const asked = readQuery(query, request.url);
    const job = await own({ principal, ids: params });
    if (job.row.kind === "speech") {
      const { chapter = null, format: subtitles = null, response_format: responseFormat = null } = asked;
      const range = request.headers.get("range");
      return soundResponse(sounds, job, { chapter, subtitles, responseFormat, range });
    }
    const writing = writingOf(job, asked);
    return jobs.read(job, request.signal, (transcript) => {
      const response = transcriptResponse(transcript, writing);
      const headers = audioWarningsHeader(transcript.warnings ?? []);
      for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
      return response;
    });
  };
  return new Elysia().get(
    "/v1/audio/jobs/:job/content",
    ({ request, params }) => handle({ request, params }),
    {
      detail: operation({
        ...{ id: "getJobContent", summary: "Get the result of a job", tag: "Jobs", access: "key" },
        description: "As often as wanted, in any format: it is not charged again.",
        path: { job: { description: "The id of the job." } },
        query: Object.entries(Query.properties).map(([name, schema]) => ({ name, schema })),
        ok: {
          description: "The transcript, or the speech.",
          content: {
            ...json({
              anyOf: [ref("Transcription"), ref("VerboseTranscription"), ref("DiarizedTranscription")],
            }),
            "text/plain": { schema: { type: "string", description: "For text, srt and vtt." } },
            ...Object.fromEntries(
              [...new Set(Object.values(JOB_MEDIA_TYPES))].map((type) => [
                type,
                { schema: { type: "string", format: "binary" } },
              ]),
            ),
          },
        },
        also: { 206: { description: "A part of the speech, as the header Range asks for." } },
        refusals: [
          ...KEY_REFUSALS,
          ...([
            "rate_limit_exceeded",
            "concurrency_limit_exceeded",
            "validation_error",
            "not_found",
          ] as const),
          ...([
            "job_not_finished",
            "unsupported_response_format",
            "unsupported_parameter",
            "word_times_not_supported",
          ] as const),
        ],
      }),
    },
  );
}

/** As the job's request has it, unless the reader says otherwise. */
export function writingOf({ row }: Job, asked: Static<typeof Query> = {}): Writing {
  const { isDiarized, tellsWordTimes, ...reading } = readingOf(row);
  for (const param of ["chapter", "format"] as const)
    if (asked[param] !== undefined)
      throw new Refusal("unsupported_parameter", `${param} is for jobs that speak.`, { param });
  const format = (asked.response_format ?? row.responseFormat) as Writing["format"];
  if (!FORMATS.includes(format))
    throw new Refusal("unsupported_response_format", `A transcript has no format ${format}.`, {
      param: "response_format",
    });
  const granularities = asked.timestamp_granularities ?? reading.granularities;
  if (format === "diarized_json" && !isDiarized)
    throw new Refusal(
      "unsupported_response_format",
      "The speakers were not told apart: make another job with diarize.",
      { param: "response_format" },
    );
  if (format === "verbose_json" && granularities.includes("word") && !tellsWordTimes)
    throw new Refusal(
      "word_times_not_supported",
      "The engine that did the job does not tell when each word was spoken. Leave out timestamp_granularities.",
      { param: "timestamp_granularities" },
    );
  return {
    ...{ format, granularities, diarized: isDiarized },
    logprobs: asked.include?.includes("logprobs") ?? reading.logprobs,
    kind: row.kind === "translation" ? "translate" : "transcribe",
  };
}

/**
 * What a job has spoken as a response: its file, or a part of it, and when its words are heard.
 *
 * `chapter`: from 1; null: all of it. `subtitles` null: the sound.
 */
type SoundAsked = {
  chapter: number | null;
  subtitles: SubtitleFormat | null;
  responseFormat: string | null;
};

type SoundDeps = {
  speechJobs: Pick<SpeechJobs, "sound" | "captions" | "wasRead">;
  /** Logs why a file ends before its length. */
  unreadable: (id: string, cause: unknown) => void;
};

async function soundResponse(
  { speechJobs, unreadable }: SoundDeps,
  job: Job,
  { chapter, subtitles, responseFormat, range }: SoundAsked & { range: string | null },
): Promise<Response> {
  const { id, responseFormat: format } = job.row;
  if (subtitles !== null) {
    const { type, text } = await subtitleFile(speechJobs, job, { chapter, format: subtitles });
    return new Response(text, { headers: { "content-type": type } });
  }
  if (responseFormat !== null && responseFormat !== format)
    throw new Refusal(
      "unsupported_response_format",
      `The job was made with response_format ${format}. Make another job for ${responseFormat}.`,
      { param: "response_format" },
    );
  const { name, type, bytes, content } = await speechFile(speechJobs, job, chapter);
  const { from, to, isPart } = rangeOf(range, bytes);
  const headers = {
    ...{ "content-type": type, "content-length": String(to - from) },
    ...{ "accept-ranges": "bytes", "cache-control": "no-store" },
    "content-disposition": `attachment; filename="${name}"`,
    ...(isPart && { "content-range": `bytes ${from}-${to - 1}/${bytes}` }),
  };
  const body = pulled(content({ from, to }), (cause) => unreadable(id, cause));
  return new Response(body, { status: isPart ? 206 : 200, headers });
}

/** One range of bytes. What asks for something else gets all of them. */
function rangeOf(header: string | null, bytes: number): { from: number; to: number; isPart: boolean } {
  const all = { from: 0, to: bytes, isPart: false };
  const asked = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? "");
  if (!asked || (asked[1] === "" && asked[2] === "")) return all;
  const [first, last] = [asked[1]!, asked[2]!];
  const from = first === "" ? Math.max(0, bytes - Number(last)) : Number(first);
  const to = first === "" || last === "" ? bytes : Math.min(bytes, Number(last) + 1);
  return from < to ? { from, to, isPart: true } : all;
}
