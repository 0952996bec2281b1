/** The operator's upstreams in force: the database's, which other processes and nodes edit too. */
import type { Database } from "../../db/database.ts";
import { openUpstreamRows } from "../../db/queries/upstream-rows.ts";
import type { Log } from "../../log.ts";
import { openUpstreamAdmin, type UpstreamAdmin } from "../../models/upstream/upstream-admin.ts";
import type { UpstreamSet } from "../../models/upstream/upstream-set.ts";
import { readEverySecond } from "./polling.ts";

export type InForce = { set: Pick<UpstreamSet, "check">; use: UpstreamSet["use"] };

/** Reads them now and once a second; the result edits them. */
export async function followUpstreams(
  { database }: { database: Database },
  { set, use }: InForce,
  log: Log,
): Promise<UpstreamAdmin & AsyncDisposable> {
  const admin = openUpstreamAdmin(openUpstreamRows(database), { check: set.check, use });
  const read = async () => {
    for (const fault of await admin.refresh()) log.warn("upstream_unusable", { fault });
  };
  await read();
  const reading = readEverySecond(read, (cause) => log.warn("upstreams_unavailable", { cause }));
  return { ...admin, [Symbol.asyncDispose]: () => reading[Symbol.asyncDispose]() };
}
