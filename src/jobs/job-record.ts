/** A job as clients and commands show it. Times are Unix seconds. */
import type { JobRow } from "../db/queries/job-rows.ts";
import { chaptersOf, charactersPaid, placesOf, secondsOfSound } from "./job-chapters.ts";
import type { JobLabels } from "./job-parts.ts";
import { secondsIn } from "./job-recording.ts";
import type { Job } from "./jobs.ts";

export function jobRecord({ row, url, labels, position }: Job) {
  const { id, kind, status, model, createdAt, startedAt, completedAt, expiresAt } = row;
  const isSpeech = kind === "speech";
  const isDone = status === "completed" || status === "expired";
  return {
    ...{ id, object: "audio.job" as const, kind, status, progress: progressOf(row), model },
    ...{ response_format: row.responseFormat, metadata: JSON.parse(row.metadata) as Record<string, string> },
    ...{ created_at: createdAt, started_at: startedAt, completed_at: completedAt, expires_at: expiresAt },
    input: {
      ...{ file_id: row.fileId, url, bytes: isSpeech ? null : row.bytes },
      duration_seconds: row.samples === null || isSpeech ? null : secondsIn(row),
      characters: row.characters,
    },
    ...spokenOf(row, labels),
    position,
    error: row.errorCode === null ? null : { code: row.errorCode, message: row.errorMessage ?? "" },
    usage: isSpeech
      ? spokenUsage(row)
      : isDone
        ? { type: "duration" as const, seconds: secondsIn(row) }
        : null,
    ...{ cost_micros: row.costMicros, request_id: row.requestId },
  };
}

type Spoken = {
  title: string | null;
  author: string | null;
  chapters: { title: string; characters: number; start: number | null; end: number | null }[] | null;
  output: { seconds: number; bytes: number } | null;
};

/** Of a chapter that cannot be downloaded yet, it is not known when it begins. */
function spokenOf(row: JobRow, labels: JobLabels | null): Spoken {
  const { kind, samples, bytes } = row;
  if (kind !== "speech") return { title: null, author: null, chapters: null, output: null };
  const chapters = chaptersOf(row);
  const places = placesOf(chapters);
  return {
    ...{ title: labels?.title ?? null, author: labels?.author ?? null },
    chapters: chapters.map(({ sent, isPaid }, index) => ({
      ...{ title: labels?.chapters[index] ?? "", characters: sent },
      start: isPaid ? secondsOfSound(places[index]!.start) : null,
      end: isPaid ? secondsOfSound(places[index]!.end) : null,
    })),
    output: samples === null ? null : { seconds: secondsOfSound(samples), bytes: bytes ?? 0 },
  };
}

function spokenUsage(row: JobRow) {
  const characters = charactersPaid(chaptersOf(row));
  return characters === 0 ? null : { type: "characters" as const, characters };
}

function progressOf(row: JobRow): number {
  const { status, kind, samples, doneSamples, donePieces } = row;
  if (status === "completed" || status === "expired") return 100;
  const all = kind === "speech" ? chaptersOf(row).reduce((sum, { pieces }) => sum + pieces, 0) : samples;
  const done = kind === "speech" ? donePieces : doneSamples;
  return all ? Math.min(99, Math.floor((100 * done) / all)) : 0;
}
