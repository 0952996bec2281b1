/** The one writer of the embedded database, on its own thread: a sync to the disk never holds up the server. */
import { workerData } from "piscina";
import { type Done, type Job, openSqlite } from "../../src/db/open-sqlite.ts";
import { openSqliteWriter } from "../../src/ledger/sqlite.ts";
import type { Outcome, Write } from "../../src/ledger/store.ts";

const { sqlite, perform } = openSqlite(workerData.folder);
const apply = openSqliteWriter(sqlite);

/** Of the ledger, or anything else's. */
export default function write(task: { writes: Write[] } | { jobs: Job[] }): Outcome[] | Done[] {
  return "writes" in task ? apply(task.writes) : perform(task.jobs);
}
