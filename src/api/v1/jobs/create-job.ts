/** Makes a job of a request that need not be waited for. The same request sent again gets the same job. */
import { Refusal, unavailableOnError } from "../../../errors.ts";
import { jobRecord } from "../../../jobs/job-record.ts";
import { type Job, type Jobs, jobIdOf, type NewJobRequest } from "../../../jobs/jobs.ts";
import { backgroundPriceOf } from "../../../models/manifest.ts";
import type { Admitted } from "../../middleware/metering.ts";
import type { BackgroundCall, JobWork } from "../transcriptions.ts";

type CreateDeps = { jobs: Pick<Jobs, "create" | "find"> };

export const openCreateJob =
  ({ jobs }: CreateDeps) =>
  (call: BackgroundCall): Promise<Response> =>
    answerWithJob(jobs, call.admitted, () => storedJob(create(jobs, call)));

/** The job that the request made when it was sent before, or the one that it makes now: only then is `create` called. */
export async function answerWithJob(
  jobs: Pick<Jobs, "find">,
  { work, principal }: Pick<Admitted, "work" | "principal">,
  create: () => Promise<Job>,
): Promise<Response> {
  const earlier = await storedJob(jobs.find(principal, jobIdOf(work.replays.requestId)));
  if (earlier === null && work.replays.of !== null)
    throw new Refusal("not_found", "The job of this request was deleted.");
  if (earlier?.row.characters) work.note({ characters: earlier.row.characters });
  const job = earlier ?? (await create());
  await work.replays.settle();
  work.started();
  work.end(202);
  return Response.json(jobRecord(job), { status: 202 });
}

export const storedJob = <T>(result: Promise<T>): Promise<T> => unavailableOnError("The jobs", result);

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
