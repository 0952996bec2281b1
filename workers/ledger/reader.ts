/** Long reads of the embedded ledger, on a separate thread: a sum over a month must not delay a request. */
import { workerData } from "piscina";
import { openSqlite } from "../../src/db/open-sqlite.ts";
import { openLedgerReads } from "../../src/db/queries/ledger-reads.ts";
import { openStatementRows } from "../../src/ledger/statement-rows.ts";
import type { LongReads, ReadWork } from "../../src/ledger/store.ts";

const database = openSqlite(workerData.folder);
const reads: LongReads = {
  ...openLedgerReads(database),
  statementRows: openStatementRows(database, "sqlite"),
};

export default function read(task: ReadWork["task"]): Promise<unknown> {
  switch (task.read) {
    case "usage":
      return reads.usage(...task.args);
    case "requestPage":
      return reads.requestPage(...task.args);
    case "request":
      return reads.request(...task.args);
    case "latencies":
      return reads.latencies(...task.args);
    case "load":
      return reads.load(...task.args);
    case "limitUse":
      return reads.limitUse(...task.args);
    case "businessRows":
      return reads.businessRows(...task.args);
    case "statementRows":
      return reads.statementRows(...task.args);
    case "recentErrors":
      return reads.recentErrors(...task.args);
  }
}
