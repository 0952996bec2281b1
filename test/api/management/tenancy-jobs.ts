/** The jobs of an organization that has something in every table, and rows of jobs as tests need them. */
import { openEncryption, serverSecrets } from "../../../src/db/encryption.ts";
import { type JobRow, openJobRows } from "../../../src/db/queries/job-rows.ts";
import { newId } from "../../../src/ids.ts";
import { openJobParts } from "../../../src/jobs/job-parts.ts";
import type { Segment } from "../../../src/transcription/transcript.ts";
import type { Harness } from "../../harness.ts";

type Owner = Pick<JobRow, "organizationId" | "projectId" | "keyId">;

/** A job that was completed, unless said otherwise, of a recording of a second in which nothing was said. */
export async function storedJob({ parts, clock }: Harness, of: Owner & Partial<JobRow>): Promise<JobRow> {
  clock.pass(1); // ids are in the order of their times
  const at = Math.floor(clock.now() / 1000);
  const reading = { language: "en", isDiarized: false, tellsWordTimes: true, logprobs: false };
  const row: JobRow = {
    ...{ id: newId("job", clock), requestId: newId("req", clock), environment: "live", plan: "prepaid" },
    ...{ kind: "transcription", model: "svc-stt1", priceMicros: 0, responseFormat: "json" },
    ...{
      reading: JSON.stringify({ ...reading, granularities: [] }),
      metadata: "{}",
      fileId: null,
      url: null,
      batchId: null,
    },
    ...{ bytes: 32_044, isReadOnce: false, status: "completed", samples: 16_000, doneSamples: 16_000 },
    ...{ isRecognized: true, reservedMicros: 0, costMicros: 0, errorCode: null, errorMessage: null },
    ...{ characters: null, labels: null, chapters: null, donePieces: 0 },
    ...{ warnings: null, createdAt: at, startedAt: at, completedAt: at, expiresAt: at + 604_800 },
    deletedAt: null,
    ...of,
  };
  await parts.database.query.insert(parts.database.tables.job).values(row);
  return row;
}

/** Stores what was recognized of a job. */
export async function recognize({ parts }: Harness, jobId: string, segments: Segment[]): Promise<void> {
  const { query, tables } = parts.database;
  const encryption = openEncryption("loquat jobs", serverSecrets(parts.config.identity, parts.accounts));
  const sealed = await openJobParts(openJobRows(parts.database), encryption).encryptPiece(jobId, 0, {
    language: "en",
    segments,
  });
  await query.insert(tables.jobPart).values({ jobId, kind: "piece", position: 0, sealed });
}

/** A segment of words that follow each other, each half a second long. */
export function segmentOf(text: string, start: number): Segment {
  const words = text.split(" ").map((word, index) => ({
    text: word,
    start: start + index / 2,
    end: start + index / 2 + 0.4,
    confidence: 0.9,
  }));
  return { text, start, end: words.at(-1)!.end, words };
}

/** A job that has spoken one chapter, as MP3; of its file there are only the tags. */
export function storedSpeech(harness: Harness, owner: Owner): Promise<JobRow> {
  const chapter = { sent: 12, pieces: 1, characters: 12, samples: 24_000, bytes: null, isPaid: true };
  return storedJob(harness, {
    ...{ ...owner, kind: "speech", model: "svc-tts1", responseFormat: "mp3", reading: "{}" },
    ...{ characters: 12, chapters: JSON.stringify([chapter]), donePieces: 1, samples: 24_000, bytes: 0 },
  });
}

/** Two of them: the id of one. */
export async function jobbed(fixture: Harness, of: Record<string, string>) {
  const { organization = "", project = "", key = "", name } = of;
  const owner = { organizationId: organization, projectId: project, keyId: key };
  const fields = { ...owner, metadata: JSON.stringify({ recording: `${name} Recording` }) };
  await storedJob(fixture, fields);
  return { job: (await storedJob(fixture, fields)).id };
}
