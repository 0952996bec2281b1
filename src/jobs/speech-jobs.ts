/** Jobs that speak texts: made, and what they have spoken read: the whole, a chapter, and when its words are heard. */
import type { Principal } from "../accounts/principal.ts";
import type { Picture } from "../audio/tags.ts";
import { type Clock, unixSeconds } from "../clock.ts";
import type { BatchLine } from "../db/queries/batch-lines.ts";
import type { JobRow, JobRows } from "../db/queries/job-rows.ts";
import { soundOwner } from "../db/queries/speech-job-rows.ts";
import { Refusal } from "../errors.ts";
import type { Files } from "../files/files.ts";
import { isUnfinished } from "../job-statuses.ts";
import { costOf } from "../ledger/booking/burn-down.ts";
import type { Allowance } from "../limits/allowance.ts";
import type { Caption } from "../speech/words/captions.ts";
import type { Spendable } from "../usage/admission.ts";
import type { Work } from "../work/work-queue.ts";
import { type Chapter, chaptersOf, piecesIn, placesOf, secondsOfSound } from "./job-chapters.ts";
import { jobKindOf, tooManyJobs } from "./job-limits.ts";
import type { JobParts, SpeechJobRequest } from "./job-parts.ts";
import type { Job } from "./jobs.ts";
import { type NewRow, newRow, noSuchFile } from "./new-row.ts";
import { openHeads, speechHead } from "./speech-head.ts";
import { codePointsIn, type TitledText, textPieces } from "./text-pieces.ts";

/** `fileId`, `url`: of the file, and the address, that the text was read from. */
export type NewSpeechJob = NewRow & {
  metadata: Record<string, string>;
  fileId: string | null;
  url: string | null;
  title: string | null;
  author: string | null;
  /** Of its file, where the format has one. */
  cover: Picture | null;
  chapters: TitledText[];
  request: Omit<SpeechJobRequest, "texts">;
  /** Of a batch that it is made of: these are not counted among the jobs that wait. */
  line?: BatchLine;
};

/** A file: its head, and what is stored as a part. */
type Sound = {
  part: { ownerId: string; position: number; bytes: number };
  head(): Promise<Buffer>;
  /** Of what is stored. */
  chunks(skipBytes: number): AsyncGenerator<Uint8Array>;
};

export type SpeechJobs = {
  /** Refuses where too many wait, or what it costs is not there. */
  create(principal: Principal, job: NewSpeechJob): Promise<Job>;
  /** Of a chapter, from 1; null: of all. Refuses where there is none, or none yet. */
  sound(job: Job, chapter: number | null): Sound;
  /** When words are heard, in seconds. Refuses where the engine does not know. */
  captions(job: Job, chapter: number | null): Promise<Caption[]>;
  /** The whole was read to its end: it is deleted where it may be read once. */
  wasRead(job: Job): Promise<void>;
};

type SpeechJobsDeps = {
  rows: JobRows;
  parts: JobParts;
  files: Pick<Files, "content">;
  allowance: Allowance;
  spendable: (principal: Principal) => Promise<Spendable[]>;
  work: Pick<Work, "wake">;
  /** Deletes contents that are not used any more. Returns at once, never throws. */
  clean: () => void;
  clock: Clock;
};

export function openSpeechJobs(deps: SpeechJobsDeps): SpeechJobs {
  const { rows, parts, files, clock, clean } = deps;
  const heads = openHeads();
  return {
    create: (principal, job) => create(deps, principal, job),
    sound(job, chapter) {
      const { row } = job;
      const { chapters } = requireSpoken(row, chapter, unixSeconds(clock));
      const position = chapter ?? (chapters.length === 1 ? 1 : 0);
      const bytes = position === 0 ? row.bytes : chapters[position - 1]!.bytes;
      const range = { from: position, to: position + 1 };
      const ownerId = soundOwner(row.id);
      const part = { ownerId, position, bytes: bytes ?? 0 };
      const chunks = (skipBytes: number) => files.content({ id: ownerId }, { ...range, skipBytes });
      const make = async () =>
        speechHead({ job, chapter, bytes: part.bytes, chunks, cover: await parts.cover(row.id) });
      return { part, chunks, head: () => heads.of(`${row.id}/${position}`, make) };
    },
    captions: ({ row }, chapter) => captionsIn(deps, row, requireSpoken(row, chapter, unixSeconds(clock))),
    async wasRead({ row }) {
      if (row.status === "completed" && row.isReadOnce && (await rows.expire(row.id))) clean();
    },
  };
}

async function create(deps: SpeechJobsDeps, principal: Principal, job: NewSpeechJob): Promise<Job> {
  const { rows, parts, allowance, work, clock } = deps;
  const { metadata, title, author, chapters: titled, cover, request, fileId, url, line, ...asked } = job;
  const allowed = await allowance(principal);
  const waiting = line ? 0 : (await rows.waiting(principal.organizationId)).length;
  if (!line && waiting >= allowed.waitingJobs) throw tooManyJobs(allowed);
  const chapters = titled.map(({ text }) => newChapter(text));
  const characters = chapters.reduce((sum, { sent }) => sum + sent, 0);
  const fresh = newRow(principal, { priceMicros: asked.priceMicros, createdAt: unixSeconds(clock) });
  const costMicros = costOf(characters, fresh.priceMicros);
  const exceeded = (await deps.spendable(principal)).find(({ micros }) => micros < costMicros);
  if (exceeded) throw exceeded.refusal();
  const labels = { title, author, chapters: titled.map(({ title }) => title) };
  const row: JobRow = {
    ...{ ...asked, ...fresh, kind: "speech", characters, fileId, batchId: line?.batchId ?? null },
    ...{ reading: "{}", metadata: JSON.stringify(metadata) },
    url: url === null ? null : await parts.encryptUrl(job.id, url),
    chapters: JSON.stringify(chapters),
    labels: await parts.encryptLabels(job.id, labels),
  };
  const added = await rows.add({
    row,
    request: await parts.encryptSpeech(job.id, { ...request, texts: titled.map(({ text }) => text) }),
    cover: cover && (await parts.encryptCover(job.id, cover)),
    work: {
      ...{ id: job.id, kind: jobKindOf(allowed), group: row.organizationId },
      ...{ dueMs: clock.now(), payload: "{}" },
    },
    ...{ part: null, line },
  });
  if (!added) throw noSuchFile("input_file_id");
  work.wake();
  return { row, url, labels, position: line ? null : waiting + 1 };
}

function newChapter(text: string): Chapter {
  let pieces = 0;
  for (const _ of textPieces(text)) pieces++;
  return { sent: codePointsIn(text), pieces, characters: 0, samples: 0, bytes: null, isPaid: false };
}

/** What was asked for: chapters by their indices. */
type Asked = { chapters: Chapter[]; from: number; to: number };

/** A chapter may be had once it is charged, also of a job that goes on or has failed. */
function requireSpoken(row: JobRow, chapter: number | null, now: number): Asked {
  const { status, expiresAt, errorMessage } = row;
  const chapters = chaptersOf(row);
  if (chapter !== null && chapter > chapters.length)
    throw noSound(
      `The job has ${chapters.length === 1 ? "1 chapter" : `${chapters.length} chapters`}.`,
      "chapter",
    );
  const isGone = !isUnfinished(row) && (expiresAt === null || expiresAt <= now);
  if (status === "expired" || (status === "completed" && isGone))
    throw noSound("The result of the job has expired, and was deleted.");
  const isThere = chapter === null ? status === "completed" : chapters[chapter - 1]!.isPaid && !isGone;
  if (isThere)
    return chapter === null
      ? { chapters, from: 0, to: chapters.length }
      : { chapters, from: chapter - 1, to: chapter };
  if (isUnfinished(row)) throw notFinished(chapter, status);
  const some = !isGone && chapters.some(({ isPaid }) => isPaid);
  const others = some ? " Ask for its chapters that are done, with chapter." : "";
  if (status === "failed") throw noSound(`The job failed: ${errorMessage}${others}`);
  throw noSound(
    `The job was cancelled${chapter === null ? "" : " before this chapter was spoken"}.${others}`,
  );
}

const notFinished = (chapter: number | null, status: string) =>
  new Refusal(
    "job_not_finished",
    chapter === null
      ? `The job is ${status === "queued" ? "queued" : "in progress"}. Ask again once it is completed.`
      : "The chapter is not spoken yet. Ask again later.",
  );

const noSound = (message: string, param?: string) =>
  new Refusal("not_found", message, param === undefined ? {} : { param });

async function captionsIn(
  { rows, parts }: SpeechJobsDeps,
  row: JobRow,
  { chapters, from, to }: Asked,
): Promise<Caption[]> {
  const known = await rows.pieces(row.id);
  const first = piecesIn(chapters, from).from;
  const end = piecesIn(chapters, to - 1).to;
  const places = placesOf(chapters);
  const offset = places[from]!.start;
  const all: Caption[] = [];
  for (const position of known) {
    if (position < first || position >= end) continue;
    const { start, captions } = await parts.captions(row.id, position);
    const chapter = chapters.findIndex((_, index) => position < piecesIn(chapters, index).to);
    const seconds = secondsOfSound(places[chapter]!.start - offset + start);
    for (const caption of captions) all.push(movedBy(caption, seconds));
  }
  if (all.length === 0) throw untimed();
  return all;
}

const movedBy = (caption: Caption, seconds: number): Caption => ({
  ...caption,
  start: caption.start + seconds,
  end: caption.end + seconds,
  words: caption.words.map((word) => ({ ...word, start: word.start + seconds, end: word.end + seconds })),
});

const untimed = () =>
  new Refusal(
    "word_times_not_supported",
    "The engine that did the job does not tell when each word is heard. Leave out format.",
    { param: "format" },
  );
