/** Promise: jobs in PostgreSQL keep the same contract, for several nodes. */
import { test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JobPlace } from "../contract/fresh-jobs.ts";
import { jobLimitContract } from "../contract/job-limits.ts";
import { jobMoneyContract } from "../contract/job-money.ts";
import { jobContract } from "../contract/jobs.ts";
import { sharedSpeechContract } from "../contract/shared-speech.ts";
import { speechJobContract } from "../contract/speech-jobs.ts";
import { openPostgres } from "../faults/server-fixture.ts";

async function prepare(): Promise<JobPlace> {
  const server = (await openPostgres())!;
  const folder = mkdtempSync(join(tmpdir(), "loquat-jobs-"));
  return {
    ...{ folder, url: server.url },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true });
    },
  };
}

const reachable = await openPostgres();
await reachable?.[Symbol.asyncDispose]();
if (reachable) {
  jobContract("postgres", prepare);
  jobLimitContract("postgres", prepare);
  jobMoneyContract("postgres", prepare);
  speechJobContract("postgres", prepare);
  sharedSpeechContract("postgres", prepare);
} else test.skip("jobs in PostgreSQL (skipped: no server at 127.0.0.1:5432)", () => {});
