/** A process that deletes the organizations that are due, and kills itself before a write that its arguments count. */
import { readConfig } from "../../src/config/config.ts";
import type { Database } from "../../src/db/database.ts";
import { openWorkRows } from "../../src/db/queries/work-rows.ts";
import { handleOrganizationDeletions } from "../../src/deletion/organization-deletions.ts";
import { openAllowance } from "../../src/limits/allowance.ts";
import { openLog } from "../../src/log/log.ts";
import { machineLimits } from "../../src/plans.ts";
import { openOwnFiles } from "../../src/server/own-files.ts";
import { openStorage } from "../../src/server/storage.ts";
import { openWork } from "../../src/work/work-queue.ts";

/** `before`: the write that it never makes, counted from 1. */
export type Orders = { environment: Record<string, string>; nowMs: number; before: number };

const { environment, nowMs, before } = JSON.parse(process.argv[2]!) as Orders;
const clock = { now: () => nowMs };
const log = openLog("error", () => {});
let writes = 0;
function count(): void {
  if (++writes === before) process.kill(process.pid, "SIGKILL");
}

/** The same, counting what it writes. */
function counting(database: Database): Database {
  const { query } = database;
  const counted = <Name extends "insert" | "update" | "delete">(name: Name) =>
    ((table: never) => {
      count();
      return query[name](table);
    }) as Database["query"][Name];
  const writing = {
    insert: counted("insert"),
    update: counted("update"),
    delete: counted("delete"),
  };
  return { ...database, query: Object.assign(Object.create(query), writing) };
}

const config = readConfig(environment);
const storage = await openStorage(config, { clock });
const database = counting(storage.database);
const allowance = openAllowance({ ...storage, machine: machineLimits(config) });
const files = await openOwnFiles(config, { ...storage, allowance, clock, log });
const work = openWork({ rows: openWorkRows(storage.database), node: "killed", clock, log });
handleOrganizationDeletions({
  ...{ ...storage, database, cleanFiles: files.cleanFiles, letters: `${config.data.folder}/mail` },
  billing: {
    available: false,
    account: async () => ({ paymentMethodId: null }) as never,
    forgetCard: async () => {},
  },
  ...{ work, clock, log },
});
await work.run();
await work[Symbol.asyncDispose]();
await files[Symbol.asyncDispose]();
await storage[Symbol.asyncDispose]();
