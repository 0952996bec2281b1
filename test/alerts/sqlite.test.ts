/** Promise: spend alerts in the embedded database keep their contract. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqlite } from "../../src/db/open-sqlite.ts";
import { openSqliteStore, openSqliteWriter } from "../../src/ledger/sqlite.ts";
import type { AlertFixture } from "../contract/alerts/alert-setting.ts";
import { balanceAlertContract } from "../contract/alerts/balance.ts";
import { alertContract } from "../contract/alerts/going-off.ts";
import { recipientContract } from "../contract/alerts/recipients.ts";
import { toldAlertContract } from "../contract/alerts/telling.ts";
import { putMigrated } from "../migrated.ts";

async function prepare(): Promise<AlertFixture> {
  const folder = mkdtempSync(join(tmpdir(), "loquat-alerts-"));
  await putMigrated(folder);
  return {
    async open() {
      const database = openSqlite(folder);
      const write = openSqliteWriter(database.sqlite);
      const store = openSqliteStore(database, async (writes) => write(writes).outcomes);
      return { database, store, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() };
    },
    async [Symbol.asyncDispose]() {
      rmSync(folder, { recursive: true });
    },
  };
}

alertContract("sqlite", prepare);
toldAlertContract("sqlite", prepare);
balanceAlertContract("sqlite", prepare);
recipientContract("sqlite", prepare);
