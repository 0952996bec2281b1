/** Promise: work and events in the embedded database keep their contracts. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqlite } from "../../src/db/open-sqlite.ts";
import type { AccountFixture } from "../contract/accounts/fresh-accounts.ts";
import { eventContract } from "../contract/events.ts";
import { upcomingContract } from "../contract/upcoming.ts";
import { workContract } from "../contract/work.ts";
import { workTurnsContract } from "../contract/work-turns.ts";
import { putMigrated } from "../migrated.ts";

async function prepare(): Promise<AccountFixture> {
  const folder = mkdtempSync(join(tmpdir(), "loquat-work-"));
  await putMigrated(folder);
  return {
    open: async () => openSqlite(folder),
    stored: async () => "",
    async [Symbol.asyncDispose]() {
      rmSync(folder, { recursive: true });
    },
  };
}

workContract("sqlite", prepare);

workTurnsContract("sqlite", prepare);
eventContract("sqlite", prepare);
upcomingContract("sqlite", prepare);
