/** What dashboards read of the embedded ledger, on a thread of its own: a sum over a month never holds up a voice. */
import { workerData } from "piscina";
import { openSqlite } from "../../src/db/open-sqlite.ts";
import { openLedgerReads } from "../../src/db/queries/ledger-reads.ts";
import type { Store } from "../../src/ledger/store.ts";

const reads: Partial<Store> = openLedgerReads(openSqlite(workerData.folder));

type Asked = { read: keyof Store; args: never[] };

export default function read({ read, args }: Asked): unknown {
  return (reads[read] as (...args: never[]) => unknown)(...args);
}
