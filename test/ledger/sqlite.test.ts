/** Promise: the embedded ledger keeps the contract. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqlite } from "../../src/db/open-sqlite.ts";
import { openSqliteStore, openSqliteWriter } from "../../src/ledger/sqlite.ts";
import { chargedUnitsContract } from "../contract/ledger/charged-units.ts";
import { ledgerCorrectionsContract } from "../contract/ledger/corrections.ts";
import { countedUsageContract } from "../contract/ledger/counted-usage.ts";
import { type Fixture, ledgerContract } from "../contract/ledger/ledger.ts";
import { ledgerProperty } from "../contract/ledger/model.ts";
import { ledgerOddsContract } from "../contract/ledger/odds.ts";
import { ledgerPlansContract } from "../contract/ledger/plans.ts";
import { ledgerReadsContract } from "../contract/ledger/reads.ts";
import { ledgerRefundsContract } from "../contract/ledger/refunds.ts";
import { ledgerReplaysContract } from "../contract/ledger/replays.ts";
import { requestLogsContract } from "../contract/ledger/request-logs.ts";
import { ledgerVoidsContract } from "../contract/ledger/voids.ts";
import { putMigrated } from "../migrated.ts";

async function prepare(): Promise<Fixture> {
  const folder = mkdtempSync(join(tmpdir(), "loquat-ledger-"));
  await putMigrated(folder);
  return {
    async open() {
      const database = openSqlite(folder);
      const write = openSqliteWriter(database.sqlite);
      const store = openSqliteStore(database, async (writes) => write(writes).outcomes);
      return { ...store, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() };
    },
    async [Symbol.asyncDispose]() {
      rmSync(folder, { recursive: true });
    },
  };
}

ledgerContract("sqlite", prepare);
ledgerOddsContract("sqlite", prepare);
ledgerReadsContract("sqlite", prepare);
countedUsageContract("sqlite", prepare);
requestLogsContract("sqlite", prepare);
ledgerPlansContract("sqlite", prepare);
chargedUnitsContract("sqlite", prepare);
ledgerVoidsContract("sqlite", prepare);
ledgerCorrectionsContract("sqlite", prepare);
ledgerRefundsContract("sqlite", prepare);
ledgerReplaysContract("sqlite", prepare);
ledgerProperty("sqlite", prepare, 250);
