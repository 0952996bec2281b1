/** Deletes old rows a few at a time, because each deletion blocks other writes. */
import { inArray, lt } from "drizzle-orm";
import type { Database, Tables } from "../database.ts";

const AT_ONCE = 1000;

type Kept = Tables["event" | "webhookDelivery" | "auditEvent"];
type Columns = {
  id: Tables["event" | "webhookDelivery" | "auditEvent"]["id"];
  at: Tables["event" | "webhookDelivery"]["createdAt"] | Tables["auditEvent"]["effectiveAt"];
};

/** Deletes the oldest of a table from before then, in Unix seconds. Whether there may be more. */
export async function forgetOldest(
  { query }: Pick<Database, "query">,
  { table, id, at }: { table: Kept } & Columns,
  before: number,
): Promise<boolean> {
  const old = query.select({ id }).from(table).where(lt(at, before)).orderBy(at).limit(AT_ONCE);
  return (await query.delete(table).where(inArray(id, old)).returning({ id })).length === AT_ONCE;
}
