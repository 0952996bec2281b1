/** What a job has spoken as a response: its file, or a part of it, and when its words are heard. */
import { Refusal } from "../../../errors.ts";
import type { Job } from "../../../jobs/jobs.ts";
import { type SubtitleFormat, speechFile, subtitleFile } from "../../../jobs/speech-file.ts";
import type { SpeechJobs } from "../../../jobs/speech-jobs.ts";
import { pulled } from "../../middleware/stream.ts";

/** `chapter`: from 1; null: all of it. `subtitles` null: the sound. */
export type SoundAsked = {
  chapter: number | null;
  subtitles: SubtitleFormat | null;
  responseFormat: string | null;
};

export type SoundDeps = {
  speechJobs: Pick<SpeechJobs, "sound" | "captions" | "wasRead">;
  /** Logs why a file ends before its length. */
  unreadable: (id: string, cause: unknown) => void;
};

export async function soundResponse(
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
