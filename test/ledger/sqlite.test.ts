/** Promise: the embedded ledger keeps the contract. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqlite, type SqliteDatabase } from "../../src/db/open-sqlite.ts";
import { auditEvent } from "../../src/db/sqlite/tables.ts";
import { openSqliteStore, openSqliteWriter } from "../../src/ledger/sqlite.ts";
import { type AuditedFixture, ledgerAuditContract } from "../contract/ledger/audited.ts";
import { ledgerBudgetsContract } from "../contract/ledger/budgets.ts";
import { chargedUnitsContract } from "../contract/ledger/charged-units.ts";
import { ledgerCorrectionsContract } from "../contract/ledger/corrections.ts";
import { countedUsageContract } from "../contract/ledger/counted-usage.ts";
import { endUsersContract } from "../contract/ledger/end-users.ts";
import { ledgerContract } from "../contract/ledger/ledger.ts";
import { ledgerLimitUseContract } from "../contract/ledger/limit-use.ts";
import { ledgerLoadContract } from "../contract/ledger/load.ts";
import { ledgerProperty } from "../contract/ledger/model.ts";
import { ledgerOddsContract } from "../contract/ledger/odds.ts";
import { ledgerPlansContract } from "../contract/ledger/plans.ts";
import { ledgerReadsContract } from "../contract/ledger/reads.ts";
import { ledgerRefundsContract } from "../contract/ledger/refunds.ts";
import { ledgerReplaysContract } from "../contract/ledger/replays.ts";
import { requestLogsContract } from "../contract/ledger/request-logs.ts";
import { ledgerStatementsContract } from "../contract/ledger/statements.ts";
import { ledgerVoidsContract } from "../contract/ledger/voids.ts";
import { putMigrated } from "../migrated.ts";

async function prepare(): Promise<AuditedFixture> {
  let database: SqliteDatabase;
  const folder = mkdtempSync(join(tmpdir(), "loquat-ledger-"));
  await putMigrated(folder);
  return {
    async open() {
      const opened = openSqlite(folder);
      database = opened;
      const write = openSqliteWriter(opened.sqlite);
      const store = openSqliteStore(opened, async (writes) => write(writes).outcomes);
      return { ...store, [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() };
    },
    auditEvents: async () => database.sqlite.select().from(auditEvent).orderBy(auditEvent.id).all(),
    async [Symbol.asyncDispose]() {
      rmSync(folder, { recursive: true });
    },
  };
}

ledgerContract("sqlite", prepare);
ledgerOddsContract("sqlite", prepare);
ledgerReadsContract("sqlite", prepare);
ledgerLimitUseContract("sqlite", prepare);
ledgerLoadContract("sqlite", prepare);
endUsersContract("sqlite", prepare);
countedUsageContract("sqlite", prepare);
requestLogsContract("sqlite", prepare);
ledgerPlansContract("sqlite", prepare);
chargedUnitsContract("sqlite", prepare);
ledgerVoidsContract("sqlite", prepare);
ledgerCorrectionsContract("sqlite", prepare);
ledgerRefundsContract("sqlite", prepare);
ledgerBudgetsContract("sqlite", prepare);
ledgerAuditContract("sqlite", prepare);
ledgerReplaysContract("sqlite", prepare);
ledgerStatementsContract("sqlite", prepare, 80);
ledgerProperty("sqlite", prepare, 250);
