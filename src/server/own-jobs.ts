/** The jobs of this server: what they are opened with, and the work that this node does of them. */
import { join } from "node:path";
import type { Clock } from "../clock.ts";
import type { Config } from "../config/config.ts";
import { openEncryption, serverSecrets } from "../db/encryption.ts";
import { openBatchRows } from "../db/queries/batch-rows.ts";
import { type JobRows, openJobRows } from "../db/queries/job-rows.ts";
import { type Documents, openDocuments } from "../documents/document-reader.ts";
import type { WorkerEnded } from "../engine/back-off.ts";
import { decodeProgram } from "../engine/media/decode-program.ts";
import { openRaising } from "../events/raising.ts";
import { openJobCleaning } from "../jobs/job-cleaning.ts";
import { openJobCounts } from "../jobs/job-counts.ts";
import { JOB_KINDS } from "../jobs/job-limits.ts";
import { openJobParts } from "../jobs/job-parts.ts";
import { openJobWatch } from "../jobs/job-watch.ts";
import { type Jobs, openJobs } from "../jobs/jobs.ts";
import { jobHandler } from "../jobs/run-job.ts";
import { openSpeechJobs, type SpeechJobs } from "../jobs/speech-jobs.ts";
import type { Allowance } from "../limits/allowance.ts";
import type { Log } from "../log/log.ts";
import type { Pronunciations } from "../metered/speech.ts";
import type { Metrics } from "../metrics/metrics.ts";
import { hasProgram } from "../natives/programs.ts";
import { type Guard, openGuard } from "../net/guarded-request.ts";
import { type Remedies, spendableBy } from "../usage/admission.ts";
import type { Voices } from "../voices/voices.ts";
import type { Work } from "../work/work-queue.ts";
import type { Inference } from "./inference.ts";
import type { OwnFiles } from "./own-files.ts";
import type { Storage } from "./storage.ts";

export type OwnJobs = AsyncDisposable & {
  jobs: Jobs;
  speechJobs: SpeechJobs;
  /** Reads books and web pages, and fetches these. */
  documents: Documents;
  guard: Guard;
  /** Deletes what has expired. */
  cleanJobs(): Promise<void>;
  /** Counts those that have not ended, for the metrics. */
  countJobs(): Promise<void>;
};

type OwnJobsDeps = Pick<Storage, "database" | "accounts" | "ledger"> &
  Pick<Inference, "decoder" | "synthesizer"> &
  Pick<OwnFiles, "files" | "receiveContent" | "cleanFiles"> & {
    registry: Pick<Inference["registry"], "engine">;
    voices: Voices;
    pronunciations: Pronunciations;
    work: Work;
    allowance: Allowance;
    remedies: Remedies;
    charged: (organizationId: string) => void;
    ended: WorkerEnded;
    clock: Clock;
    log: Log;
    metrics: Metrics;
    /** For tests to replace. */
    rows?: JobRows;
  };

export function openOwnJobs(
  config: Pick<Config, "data" | "files" | "identity" | "outbound">,
  deps: OwnJobsDeps,
): OwnJobs {
  const { database, accounts, ledger, allowance, files, work, remedies, clock, log, metrics } = deps;
  const { rows = openJobRows(database) } = deps;
  const parts = openJobParts(rows, openEncryption("loquat jobs", serverSecrets(config.identity, accounts)));
  const watch = openJobWatch(rows);
  const raise = openRaising(clock);
  const clean = () => void deps.cleanFiles();
  const guard = openGuard(config.outbound);
  const spendable = spendableBy.bind(null, { ledger, clock, remedies });
  const running = {
    ...deps,
    ...{ rows, parts, watch, raise, clean, spendable },
    ...{ guard, receive: deps.receiveContent, bytesMax: config.files.bytesMax },
    folder: join(config.data.folder, "spool"),
    program: () => decodeProgram(hasProgram("ffmpeg")),
  };
  for (const [kind, atOnce] of JOB_KINDS) work.handle(kind, jobHandler(running, atOnce));
  const cleaning = openJobCleaning({ rows, batches: openBatchRows(database), clock, log });
  const counts = openJobCounts({ rows, metrics, clock });
  const documents = openDocuments(deps.ended);
  return {
    ...{ documents, guard },
    jobs: openJobs({
      ...{ rows, parts, files, receive: deps.receiveContent, guard, accounts, allowance, work, watch },
      ...{ raise, clean, clock, metrics },
    }),
    speechJobs: openSpeechJobs({ rows, parts, files, allowance, spendable, work, clean, clock }),
    cleanJobs: cleaning.run,
    countJobs: counts.look,
    async [Symbol.asyncDispose]() {
      work.drain(); // before the engines end
      await counts[Symbol.asyncDispose]();
      await cleaning[Symbol.asyncDispose]();
      await watch[Symbol.asyncDispose]();
      await documents[Symbol.asyncDispose]();
    },
  };
}
