/** Promise: jobs in the embedded database keep their contract. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JobPlace } from "../contract/fresh-jobs.ts";
import { jobLimitContract } from "../contract/job-limits.ts";
import { jobMoneyContract } from "../contract/job-money.ts";
import { jobContract } from "../contract/jobs.ts";
import { sharedSpeechContract } from "../contract/shared-speech.ts";
import { speechJobContract } from "../contract/speech-jobs.ts";
import { putMigrated } from "../migrated.ts";

async function prepare(): Promise<JobPlace> {
  const folder = mkdtempSync(join(tmpdir(), "loquat-jobs-"));
  await putMigrated(folder);
  return { folder, url: null, [Symbol.asyncDispose]: async () => rmSync(folder, { recursive: true }) };
}

jobContract("sqlite", prepare);
jobLimitContract("sqlite", prepare);
jobMoneyContract("sqlite", prepare);
speechJobContract("sqlite", prepare);
sharedSpeechContract("sqlite", prepare);
