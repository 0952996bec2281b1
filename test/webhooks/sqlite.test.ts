/** Promise: outgoing webhooks keep their contract in the embedded database. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqlite } from "../../src/db/open-sqlite.ts";
import type { AccountFixture } from "../contract/accounts/fresh-accounts.ts";
import { deliveringContract } from "../contract/webhooks/delivering.ts";
import { failingContract } from "../contract/webhooks/failing.ts";
import { putMigrated } from "../migrated.ts";

async function prepare(): Promise<AccountFixture> {
  const folder = mkdtempSync(join(tmpdir(), "loquat-webhooks-"));
  await putMigrated(folder);
  return {
    open: async () => openSqlite(folder),
    stored: async () => "",
    async [Symbol.asyncDispose]() {
      rmSync(folder, { recursive: true });
    },
  };
}

deliveringContract("sqlite", prepare);
failingContract("sqlite", prepare);
