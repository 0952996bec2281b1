/** What a batch leaves: a file of the lines that succeeded, one of those that did not, and a file of the speech of each line. */
import type { Principal } from "../accounts/principal.ts";
import type { BatchRow, BatchRows, EndedLine } from "../db/queries/batch-rows.ts";
import { type Code, Refusal } from "../errors.ts";
import type { Files } from "../files/files.ts";
import { derivedId } from "../ids.ts";
import { jobRecord } from "../jobs/job-record.ts";
import type { Job, Jobs } from "../jobs/jobs.ts";
import type { SpeechJobs } from "../jobs/speech-jobs.ts";
import type { Transcript } from "../transcription/transcript.ts";

/** A response as a line of the output has it. */
type LineResponse = { status_code: number; request_id: string; body: unknown };

export type OutputDeps = {
  rows: Pick<BatchRows, "lines" | "answered">;
  jobs: Pick<Jobs, "find" | "read">;
  speechJobs: Pick<SpeechJobs, "sound" | "wasRead">;
  files: Pick<Files, "receive" | "share" | "find" | "content">;
  /** As the request of the line would be refused. */
  answer(refusal: Refusal, requestId: string): LineResponse;
  /** The body of what a job has recognized. */
  written(job: Job, transcript: Transcript): unknown;
};

type Written = {
  batch: BatchRow;
  principal: Principal;
  as: "completed" | "expired" | "cancelled";
  signal: AbortSignal;
};

const AT_A_TIME = 500;
const KEPT_SECONDS = 30 * 86_400;

/** The ids of the two files; null: none of its lines is there. */
export async function writeOutput(
  deps: OutputDeps,
  written: Written,
): Promise<Pick<BatchRow, "outputFileId" | "errorFileId">> {
  const { batch, principal } = written;
  const open = (name: string) => openFile(deps, principal, fileOf(batch, `${batch.id}_${name}.jsonl`));
  const [output, errors] = [await open("output"), await open("error")];
  await using _closed = { [Symbol.asyncDispose]: () => closeBoth(output, errors) };
  for (let after = 0, isLast = false; !isLast; ) {
    const lines = await deps.rows.lines(batch.id, { after, limit: AT_A_TIME });
    for (const line of lines) {
      written.signal.throwIfAborted();
      const answer = await answerOf(deps, written, line);
      const to = answer.response?.status_code === 200 ? output : errors;
      await to.write({ id: line.jobId ?? `${batch.id}.${line.line}`, custom_id: line.customId, ...answer });
    }
    after = lines.at(-1)?.line ?? after;
    isLast = lines.length < AT_A_TIME;
  }
  return { outputFileId: await output.finish(), errorFileId: await errors.finish() };
}

async function closeBoth(...files: AsyncDisposable[]): Promise<void> {
  for (const file of files) await file[Symbol.asyncDispose]();
}

type NamedFile = { id: string; filename: string };

/** Of an attempt after this one, the file has the same id: it is made once. */
const fileOf = ({ createdAt }: BatchRow, filename: string): NamedFile => ({
  id: derivedId("file", filename, createdAt),
  filename,
});

/** Made with its first line. One that an earlier attempt made stays as it is. */
async function openFile({ files }: OutputDeps, principal: Principal, { id, filename }: NamedFile) {
  const isMade = (await files.find(principal, id)) !== null;
  let incoming: Awaited<ReturnType<Files["receive"]>> | null = null;
  return {
    async write(line: object): Promise<void> {
      if (isMade) return;
      incoming ??= await files.receive(principal, 0, id);
      await incoming.write(new TextEncoder().encode(`${JSON.stringify(line)}\n`));
    },
    async finish(): Promise<string | null> {
      if (isMade) return id;
      const file = await incoming?.finish({ purpose: "batch_output", filename, keptSeconds: KEPT_SECONDS });
      return file?.id ?? null;
    },
    async [Symbol.asyncDispose]() {
      await incoming?.[Symbol.asyncDispose]();
    },
  };
}

type Answer = { response: LineResponse | null; error: { code: string; message: string } | null };

async function answerOf(deps: OutputDeps, written: Written, line: EndedLine): Promise<Answer> {
  const { batch, as, signal } = written;
  if (line.answer !== null) return answered(JSON.parse(line.answer));
  const job = line.jobId === null ? null : await deps.jobs.find(batch, line.jobId);
  if (job === null) return { response: null, error: GONE };
  const { status, requestId, errorCode, errorMessage } = job.row;
  if (status === "cancelled") return { response: null, error: as === "completed" ? CANCELLED : STOPPED[as] };
  if (status === "failed") {
    const refusal = new Refusal(errorCode as Code, errorMessage ?? "The job failed.");
    return answered(deps.answer(refusal, requestId));
  }
  try {
    if (job.row.kind === "speech") return answered(await spokenAnswer(deps, written, { line, job }));
    const body = await deps.jobs.read(job, signal, (transcript) => deps.written(job, transcript));
    return answered({ status_code: 200, request_id: requestId, body });
  } catch (cause) {
    if (cause instanceof Refusal && cause.code === "not_found")
      return answered(deps.answer(cause, requestId));
    throw cause;
  }
}

/** What was spoken becomes a file of the project. The line keeps its answer. */
async function spokenAnswer(
  { rows, speechJobs, files }: OutputDeps,
  written: Written,
  { line, job }: { line: EndedLine; job: Job },
): Promise<LineResponse> {
  const named = fileOf(written.batch, `${job.row.id}.${job.row.responseFormat}`);
  const owner = written.principal;
  if ((await files.find(owner, named.id)) === null) {
    const { part, head } = speechJobs.sound(job, null);
    const file = {
      ...named,
      part,
      head: await head(),
      purpose: "batch_output" as const,
      keptSeconds: KEPT_SECONDS,
    };
    if ((await files.share(owner, file)) === null) throw noSpeech();
  }
  await speechJobs.wasRead(job);
  const body = { file_id: named.id, usage: jobRecord(job).usage };
  const answer = { status_code: 200, request_id: job.row.requestId, body };
  await rows.answered(line, JSON.stringify(answer));
  return answer;
}

/** Its job was deleted, or its result has expired, a moment ago. */
const noSpeech = () => new Refusal("not_found", "The result of the job has expired, and was deleted.");

const answered = (response: LineResponse): Answer => ({ response, error: null });

const GONE = { code: "job_deleted", message: "The job of this line was deleted." };
const CANCELLED = { code: "job_cancelled", message: "The job of this line was cancelled." };
const STOPPED = {
  expired: { code: "batch_expired", message: "The batch did not end within 24 hours. Send this line again." },
  cancelled: { code: "batch_cancelled", message: "The batch was cancelled before this line was done." },
};
