/** Deletes the organizations that are due; as a process, it kills itself before a write that its arguments count. */
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

export type Due = { environment: Record<string, string>; nowMs: number };
/** `before`: the write that it never makes, counted from 1. */
export type Orders = Due & { before: number };

/** `databaseOf` replaces the database of the deletions. */
export async function deleteDue(
  { environment, nowMs }: Due,
  databaseOf = (database: Database) => database,
): Promise<void> {
  const clock = { now: () => nowMs };
  const log = openLog("error", () => {});
  const config = readConfig(environment);
  await using storage = await openStorage(config, { clock });
  const allowance = openAllowance({ ...storage, machine: machineLimits(config) });
  await using files = await openOwnFiles(config, { ...storage, allowance, clock, log });
  await using work = openWork({ rows: openWorkRows(storage.database), node: "killed", clock, log });
  handleOrganizationDeletions({
    ...storage,
    database: databaseOf(storage.database),
    cleanFiles: files.cleanFiles,
    letters: `${config.data.folder}/mail`,
    billing: {
      available: false,
      account: async () => ({ paymentMethodId: null }) as never,
      forgetCard: async () => {},
    },
    ...{ work, clock, log },
  });
  await work.run();
}

/** The same, calling `count` before each write. */
function counting(database: Database, count: () => void): Database {
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

if (import.meta.main) {
  const { before, ...due } = JSON.parse(process.argv[2]!) as Orders;
  let writes = 0;
  const count = () => {
    if (++writes === before) process.kill(process.pid, "SIGKILL");
  };
  await deleteDue(due, (database) => counting(database, count));
}
