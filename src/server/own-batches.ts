/** The batches of this server: what they are opened with, and the work that this node does of them. */
import { openLineJobs } from "../api/v1/batches/line-job.ts";
import { BATCH_WORK, type Batches, openBatches } from "../batches/batches.ts";
import { batchHandler } from "../batches/run-batch.ts";
import type { Clock } from "../clock.ts";
import type { Config } from "../config/config.ts";
import { openBatchRows } from "../db/queries/batch-rows.ts";
import type { Documents } from "../documents/document-reader.ts";
import { openRaising } from "../events/raising.ts";
import type { Jobs } from "../jobs/jobs.ts";
import type { SpeechJobs } from "../jobs/speech-jobs.ts";
import type { Log } from "../log/log.ts";
import type { AliasAdmin } from "../models/alias-admin.ts";
import { type CatalogueFor, catalogueByPlan } from "../models/live-catalogue.ts";
import type { Guard } from "../net/guarded-request.ts";
import type { Voices } from "../voices/voices.ts";
import type { Work } from "../work/work-queue.ts";
import type { Inference } from "./inference.ts";
import type { OwnFiles } from "./own-files.ts";
import type { Storage } from "./storage.ts";

type OwnBatchesDeps = Pick<Storage, "database" | "accounts"> &
  Pick<OwnFiles, "files"> &
  Pick<Inference, "catalogue" | "encodesAac"> & {
    jobs: Jobs;
    documents: Documents;
    guard: Guard;
    speechJobs: SpeechJobs;
    voices: Voices;
    aliases: Pick<AliasAdmin, "current">;
    work: Work;
    clock: Clock;
    log: Log;
  };

/** `catalogueFor`: what a caller finds in the catalogue. */
export function openOwnBatches(
  config: Pick<Config, "voices">,
  deps: OwnBatchesDeps,
): { catalogueFor: CatalogueFor; batches: Batches } {
  const { database, catalogue, aliases, encodesAac, work, clock } = deps;
  const catalogueFor = catalogueByPlan(catalogue, () => aliases.current(), encodesAac);
  const ownVoices = { voices: deps.voices, cloning: config.voices.cloning };
  const rows = openBatchRows(database);
  const lines = openLineJobs({ ...deps, ownVoices, catalogueFor });
  work.handle(BATCH_WORK, batchHandler({ ...deps, ...lines, rows, raise: openRaising(clock) }));
  return { catalogueFor, batches: openBatches({ ...deps, rows }) };
}
