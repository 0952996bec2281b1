/** Makes a job of a transcription that need not be waited for. The same request sent again gets the same job. */
import { Refusal, unavailableOnError } from "../../../errors.ts";
import { jobRecord } from "../../../jobs/job-record.ts";
import { type Job, type Jobs, jobIdOf } from "../../../jobs/jobs.ts";
import { backgroundPriceOf } from "../../../models/manifest.ts";
import type { Background } from "../background-fields.ts";
import type { BackgroundCall } from "../transcriptions.ts";

type CreateDeps = { jobs: Pick<Jobs, "create" | "find"> };

export const openCreateJob =
  ({ jobs }: CreateDeps) =>
  async (call: BackgroundCall): Promise<Response> => {
    const { work } = call.admitted;
    const job = (await earlier(jobs, call)) ?? (await stored(create(jobs, call)));
    await work.replays.settle();
    work.started();
    work.end(202);
    return Response.json(jobRecord(job), { status: 202 });
  };

const stored = <T>(result: Promise<T>): Promise<T> => unavailableOnError("The jobs", result);

/** The job of the same request when it was sent before; null where this is the first. */
async function earlier(jobs: CreateDeps["jobs"], { admitted }: BackgroundCall): Promise<Job | null> {
  const { work, principal } = admitted;
  const known = await stored(jobs.find(principal, jobIdOf(work.replays.requestId)));
  if (known === null && work.replays.of !== null)
    throw new Refusal("not_found", "The job of this request was deleted.");
  return known;
}

function create(jobs: CreateDeps["jobs"], call: BackgroundCall): Promise<Job> {
  const { admitted, request, upload, chosen, hints, tellsWordTimes } = call;
  const { id: requestId, work, principal } = admitted;
  const { fileId, url, metadata } = request.background!;
  const { language, languages, translate, prompt, keywords, mustPrefer } = hints;
  return jobs.create(principal, {
    ...{ id: jobIdOf(work.replays.requestId), requestId, metadata, responseFormat: request.format },
    ...{ kind: request.translated ? "translation" : "transcription" },
    ...{ model: chosen.model, priceMicros: backgroundPriceOf(chosen.manifest) },
    reading: {
      ...{ language: chosen.assumedLanguage, isDiarized: chosen.diarizer !== null, tellsWordTimes },
      ...{ granularities: request.granularities, logprobs: request.logprobs },
    },
    request: {
      ...{ engine: chosen.engine, diarizer: chosen.diarizer },
      hints: { language, languages, translate, prompt, keywords, mustPrefer },
      speakers: { known: request.knownSpeakers, count: request.speakerCount },
    },
    input: inputOf({ fileId, url }, upload),
  });
}

const inputOf = ({ fileId, url }: Pick<Background, "fileId" | "url">, upload: BackgroundCall["upload"]) => {
  if (url !== null) return { url };
  return fileId === null ? { bytes: upload.file } : { fileId };
};
