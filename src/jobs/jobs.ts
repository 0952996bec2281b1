/**
 * The jobs of projects: made, found, waited for, cancelled and deleted. A job outlives its caller and its node: its row says what
 * became of it, and a row of work has some node do it.
 */
import type { Principal } from "../accounts/principal.ts";
import { type Clock, unixSeconds } from "../clock.ts";
import type { BatchLine } from "../db/queries/batch-lines.ts";
import type { JobOwner, JobPlace, JobRow, JobRows } from "../db/queries/job-rows.ts";
import { Refusal } from "../errors.ts";
import type { Raise } from "../events/raising.ts";
import type { Files } from "../files/files.ts";
import type { Receive } from "../files/receiving.ts";
import { isUnfinished } from "../job-statuses.ts";
import type { Allowance } from "../limits/allowance.ts";
import { openRoom } from "../memory/budget.ts";
import type { Metrics } from "../metrics/metrics.ts";
import type { Guard } from "../net/guarded-request.ts";
import type { Granularity } from "../transcription/response.ts";
import { type Transcript, transcriptOf } from "../transcription/transcript.ts";
import type { Work } from "../work/work-queue.ts";
import { requireReadable } from "./fetch-recording.ts";
import { jobKindOf, tooManyJobs } from "./job-limits.ts";
import type { JobLabels, JobParts, JobRequest } from "./job-parts.ts";
import { secondsIn } from "./job-recording.ts";
import { ended, type JobWatch } from "./job-watch.ts";
import { type KeepingDeps, keptResult } from "./kept-result.ts";
import { newRow, noSuchFile } from "./new-row.ts";

/** How a result is read unless a reader says otherwise. `language`: to assume where none was detected. */
type JobReading = {
  language: string;
  isDiarized: boolean;
  tellsWordTimes: boolean;
  granularities: readonly Granularity[];
  logprobs: boolean;
};

/** The recording: sent with the request, a file of the project, or at an address. */
type JobInput = { bytes: Uint8Array } | { fileId: string } | { url: string };

/** `priceMicros`: the list price. */
export type NewJobRequest = Pick<
  JobRow,
  "id" | "requestId" | "kind" | "model" | "priceMicros" | "responseFormat"
> & {
  reading: JobReading;
  metadata: Record<string, string>;
  request: JobRequest;
  input: JobInput;
  /** Of a batch that it is made of: these are not counted among the jobs that wait. */
  line?: BatchLine;
};

/** `position`: its place among those of its organization that wait, from 1; null: it does not. `labels` null: of a recording. */
export type Job = { row: JobRow; url: string | null; labels: JobLabels | null; position: number | null };

export type Jobs = {
  /** Refuses where too many wait, or there is no such file. */
  create(principal: Principal, job: NewJobRequest): Promise<Job>;
  /** Null where there is none, it is another project's, or it was deleted. */
  find(owner: JobOwner, id: string): Promise<Job | null>;
  /** The newest first. */
  list(owner: JobOwner, place: JobPlace): Promise<Job[]>;
  /** How many wait, as their limit counts them, and how many run. */
  unfinishedBy(organizationId: string): Promise<{ waiting: number; running: number }>;
  /** The same once its status has changed, at the latest after so many milliseconds. */
  wait(job: Job, limit: { ms: number; signal: AbortSignal }): Promise<Job>;
  /** One that has ended is as it was. */
  cancel(job: Job): Promise<Job>;
  /** Cancels it too. False where it was deleted already. */
  remove(job: Job): Promise<boolean>;
  /** Reads the result, and deletes it afterwards where it may be read once. Refuses where there is none. */
  read<T>(job: Job, signal: AbortSignal, written: (result: Transcript) => T): Promise<T>;
};

/** The job that a request makes, so that the same request sent again finds it. */
export const jobIdOf = (requestId: string): string => requestId.replace(/^req_/, "job_");

const isJobId = (id: string): boolean => /^job_[0-9a-z]{24}$/.test(id);

/** While a chapter is charged, a job that speaks cannot be cancelled. */
const CANCEL_TRIES = 8;
const CANCEL_PAUSE_MS = 100;

type JobsDeps = KeepingDeps & {
  rows: JobRows;
  parts: JobParts;
  files: Pick<Files, "find">;
  receive: Receive;
  guard: Guard;
  allowance: Allowance;
  work: Pick<Work, "wake">;
  watch: JobWatch;
  raise: Raise;
  /** Deletes contents that are not used any more. Returns at once, never throws. */
  clean: () => void;
  clock: Clock;
  metrics: Metrics;
};

export function openJobs(deps: JobsDeps): Jobs {
  const { rows, parts, watch, clock } = deps;
  const find = async (owner: JobOwner, id: string) => {
    const row = isJobId(id) ? await rows.find(owner, id) : null;
    return row && (await shownOf(deps, [row]))[0]!;
  };
  const cancel = async ({ row }: Job) => {
    const { id, kind, organizationId, projectId } = row;
    const raised = deps.raise({ type: "audio.job.cancelled", organizationId, projectId, data: { id, kind } });
    const completedAt = unixSeconds(clock);
    const kept = kind === "speech" ? await keptResult(deps, row, completedAt) : {};
    for (let tries = 0; tries < CANCEL_TRIES; tries++) {
      if (await rows.cancel(row, { completedAt, raised, ...kept })) return ended(deps, "cancelled");
      if (kind !== "speech" || (await rows.statuses([id])).get(id) !== "in_progress") return;
      await Bun.sleep(CANCEL_PAUSE_MS);
    }
  };
  const results = openRoom({ organizationBytes: RESULT_BYTES, totalBytes: 2 * RESULT_BYTES });
  return {
    find,
    create: (principal, job) => create(deps, principal, job),
    ...openJobListing(deps),
    unfinishedBy: rows.unfinishedBy,
    async wait(job, { ms, signal }) {
      const { id, status } = job.row;
      if (ms === 0 || !isUnfinished(job.row)) return job;
      const late = new AbortController();
      const leave = () => late.abort();
      const timer = setTimeout(leave, ms);
      signal.addEventListener("abort", leave, { once: true });
      await watch.changed(id, status, late.signal);
      clearTimeout(timer);
      signal.removeEventListener("abort", leave);
      return (await find(job.row, id)) ?? job;
    },
    async cancel(job) {
      await cancel(job);
      return (await find(job.row, job.row.id)) ?? job;
    },
    async remove(job) {
      await cancel(job);
      return rows.delete(job.row.id, unixSeconds(clock));
    },
    async read({ row }, signal, written) {
      requireResult(row, unixSeconds(clock));
      const sizeBytes = Math.ceil(secondsIn(row) * RESULT_BYTES_PER_SECOND);
      using _place = await results.enter({ organizationId: row.organizationId, sizeBytes, signal });
      const result = written(await transcriptIn({ rows, parts }, row));
      if (row.isReadOnce) await rows.expire(row.id);
      return result;
    },
  };
}

export const openJobListing = (deps: Pick<JobsDeps, "rows" | "parts">): Pick<Jobs, "list"> => ({
  list: async (owner, place) => shownOf(deps, await deps.rows.list(owner, place)),
});

/** What a second of speech may take in memory, with its words, and what results that are read may take at once. */
const RESULT_BYTES_PER_SECOND = 2048;
const RESULT_BYTES = 128 * 1024 * 1024;

/** What is stored of a list, as its readers see it. */
async function shownOf({ rows, parts }: Pick<JobsDeps, "rows" | "parts">, list: JobRow[]): Promise<Job[]> {
  const queued = list.find(({ status }) => status === "queued");
  const waiting = queued ? await rows.waiting(queued.organizationId) : [];
  return Promise.all(
    list.map(async (row) => ({
      row,
      url: row.url && (await parts.url(row.id, row.url)),
      labels: row.labels && (await parts.labels(row.id, row.labels)),
      position: row.status === "queued" && row.batchId === null ? waiting.indexOf(row.id) + 1 || 1 : null,
    })),
  );
}

async function create(deps: JobsDeps, principal: Principal, job: NewJobRequest): Promise<Job> {
  const { rows, work, allowance, clock } = deps;
  const allowed = await allowance(principal);
  const waiting = job.line ? 0 : (await rows.waiting(principal.organizationId)).length;
  if (!job.line && waiting >= allowed.waitingJobs) throw tooManyJobs(allowed);
  const { input } = job;
  const row = await rowOf(deps, principal, job);
  const request = await deps.parts.encryptRequest(job.id, job.request);
  const { organizationId: group } = row;
  const task = { id: job.id, kind: jobKindOf(allowed), group, dueMs: clock.now(), payload: "{}" };
  const added = { row, request, work: task, line: job.line };
  if (!("bytes" in input)) {
    if (!(await rows.add({ ...added, part: null }))) throw noSuchFile("file_id");
  } else {
    const { bytes } = input;
    const content = {
      ownerId: job.id,
      announcedBytes: bytes.length,
      bytesMax: bytes.length,
      tooLarge: tookTooLong,
    };
    await using incoming = await deps.receive(principal, content);
    await incoming.write(bytes);
    await incoming.end();
    if (!(await rows.add({ ...added, part: { id: incoming.partId, bytes: bytes.length } })))
      throw tookTooLong();
    incoming.keep();
  }
  work.wake();
  return {
    row,
    url: "url" in input ? input.url : null,
    labels: null,
    position: job.line ? null : waiting + 1,
  };
}

async function rowOf(
  { files, guard, parts, clock }: Pick<JobsDeps, "files" | "guard" | "parts" | "clock">,
  principal: Principal,
  { reading, metadata, input, request: _request, line, ...job }: NewJobRequest,
): Promise<JobRow> {
  const file = "fileId" in input ? await files.find(principal, input.fileId) : null;
  if ("fileId" in input && file === null) throw noSuchFile("file_id");
  if ("url" in input) await requireReadable(guard, input.url);
  return {
    ...job,
    ...newRow(principal, { priceMicros: job.priceMicros, createdAt: unixSeconds(clock) }),
    ...{ reading: JSON.stringify(reading), metadata: JSON.stringify(metadata) },
    ...{ fileId: file?.id ?? null, batchId: line?.batchId ?? null },
    url: "url" in input ? await parts.encryptUrl(job.id, input.url) : null,
    bytes: "bytes" in input ? input.bytes.length : (file?.bytes ?? null),
  };
}

export const readingOf = ({ reading }: Pick<JobRow, "reading">): JobReading => JSON.parse(reading);

function requireResult(row: JobRow, now: number): void {
  const { status, expiresAt, errorMessage } = row;
  if (isUnfinished(row))
    throw new Refusal(
      "job_not_finished",
      `The job is ${status === "queued" ? "queued" : "in progress"}. Ask again once it is completed.`,
    );
  if (status === "failed") throw noResult(`The job failed: ${errorMessage}`);
  if (status === "cancelled") throw noResult("The job was cancelled, and has no result.");
  if (status === "expired" || (expiresAt !== null && expiresAt <= now))
    throw noResult("The result of the job has expired, and was deleted.");
}

const noResult = (message: string) => new Refusal("not_found", message);
const tookTooLong = () =>
  new Refusal("service_unavailable", "The file took too long to arrive. Send it again.");

async function transcriptIn(
  { rows, parts }: Pick<JobsDeps, "rows" | "parts">,
  row: JobRow,
): Promise<Transcript> {
  const segments: Transcript["segments"] = [];
  for (const position of await rows.pieces(row.id)) {
    const piece = await parts.piece(row.id, position);
    for (const segment of piece.segments) segments.push(segment);
  }
  const warnings = JSON.parse(row.warnings ?? "[]") as string[];
  return { ...transcriptOf(segments, readingOf(row).language, secondsIn(row)), warnings };
}
