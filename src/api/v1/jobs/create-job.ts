/** Makes a job of a transcription that need not be waited for. The same request sent again gets the same job. */
import { Refusal, unavailableOnError } from "../../../errors.ts";
import { jobRecord } from "../../../jobs/job-record.ts";
import { type Job, type Jobs, jobIdOf, type NewJobRequest } from "../../../jobs/jobs.ts";
import { backgroundPriceOf } from "../../../models/manifest.ts";
import type { BackgroundCall, JobWork } from "../transcriptions.ts";

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
  const { id: requestId, work, principal } = call.admitted;
  const id = jobIdOf(work.replays.requestId);
  return jobs.create(principal, { id, requestId, ...jobRequestOf(call), input: inputOf(call) });
}

/** A job without its ids and its recording. */
export function jobRequestOf(call: JobWork): Omit<NewJobRequest, "id" | "requestId" | "input"> {
  const { request, chosen, hints, tellsWordTimes } = call;
  const { language, languages, translate, prompt, keywords, mustPrefer } = hints;
  return {
    ...{ metadata: request.background!.metadata, responseFormat: request.format },
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
  };
}

const inputOf = ({ request, upload }: Pick<BackgroundCall, "request" | "upload">) => {
  const { fileId, url } = request.background!;
  if (url !== null) return { url };
  return fileId === null ? { bytes: upload.file } : { fileId };
};
