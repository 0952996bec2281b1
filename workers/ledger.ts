/** The one writer of the embedded ledger, on a thread of its own: a sync to the disk never holds up the server. */
import { workerData } from "piscina";
import { openSqlite } from "../src/db/open-sqlite.ts";
import type { Outcome, Write } from "../src/ledger/ledger.ts";
import { openSqliteWriter } from "../src/ledger/sqlite.ts";

const { sqlite } = openSqlite(workerData.folder);
const apply = openSqliteWriter(sqlite);

export default function write({ writes }: { writes: Write[] }): Outcome[] {
  return apply(writes);
}
