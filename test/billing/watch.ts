/** What must hold of a run of random events: at every charge, and once every event is delivered. */

import { prepared } from "../../src/db/database.ts";
import { differencesOf } from "../../src/ledger/verify.ts";
import type { Storage } from "../../src/server/storage.ts";
import type { heldClock } from "../harness.ts";
import type { openObjectStore, Thing } from "../stripe/object-store.ts";
import { DOLLAR } from "./billing-cluster.ts";

export type Fixture = { storage: Storage; organizationId: string; clock: ReturnType<typeof heldClock> };

export type Intent = Thing & {
  amount: number;
  status: string;
  metadata: Record<string, string>;
  latest_charge: string | null;
};
export type Reclaim = Thing & { status: string; amount: number };

export const THRESHOLD = 5 * DOLLAR;

type ObjectStore = ReturnType<typeof openObjectStore>;

/** Micros that the saved card was charged with by auto-recharge, what is under way included. */
const chargedMicros = (objectStore: ObjectStore): number =>
  objectStore
    .all<Intent>("payment_intent")
    .filter(
      ({ metadata, status }) =>
        metadata.kind === "auto_recharge" && ["succeeded", "processing"].includes(status),
    )
    .reduce((sum, { amount }) => sum + amount * 10_000, 0);

/** Micros that were refunded or disputed. */
const takenBackAtStripe = (objectStore: ObjectStore): number =>
  [...objectStore.all<Reclaim>("refund"), ...objectStore.all<Reclaim>("dispute")]
    .filter(({ status }) => !["pending", "failed", "won"].includes(status))
    .reduce((sum, { amount }) => sum + amount * 10_000, 0);

/** The view at every step: in micros, what there would be if nothing had been taken back since the owner's last word. */
export function openWatch({ storage }: Fixture, objectStore: ObjectStore) {
  const { query, tables } = storage.database;
  const wrong: string[] = [];
  const rows = new Map<string, number>(); // since a charge's row is there, the least view
  const readTopUps = prepared<(typeof tables.topUp.$inferSelect)[]>(
    query.select().from(tables.topUp),
    "rows",
  );
  let view = 0;
  let spentMicros = 0;
  let takenBackMicros = 0;
  async function takenBack(): Promise<number> {
    const reversals = await query.select().from(tables.creditReversal);
    const returned = new Set((await query.select().from(tables.creditGrant)).map(({ id }) => id));
    return reversals.reduce(
      (sum, { id, amountMicros }) => sum + (returned.has(`grant_${id}`) ? 0 : amountMicros),
      0,
    );
  }
  async function look(): Promise<void> {
    const topUps = await readTopUps.execute({});
    const bought = topUps.filter(({ kind, status }) => kind === "top_up" && status === "succeeded");
    view =
      chargedMicros(objectStore) +
      bought.reduce((sum, { amountMicros }) => sum + amountMicros, 0) -
      spentMicros -
      takenBackMicros;
    for (const { id, kind } of topUps)
      if (kind === "auto_recharge") rows.set(id, Math.min(rows.get(id) ?? Number.POSITIVE_INFINITY, view));
  }
  return {
    wrong,
    look,
    spent(micros: number) {
      spentMicros += micros;
    },
    async switchedOn() {
      takenBackMicros = Math.max(takenBackMicros, await takenBack());
      const [account] = await query.select().from(tables.billingAccount);
      const isExplained = ["refunded", "disputed"].includes(account?.rechargeProblem ?? "");
      if (isExplained) takenBackMicros = Math.max(takenBackMicros, takenBackAtStripe(objectStore)); // the owner knows, though it may not be booked
      await look();
    },
    charging(topUpId: string) {
      const least = Math.min(rows.get(topUpId) ?? view, view);
      if (least >= THRESHOLD) wrong.push(`the card is charged with $${least / DOLLAR} left: ${topUpId}`);
    },
  };
}

/** When everything is heard: what is booked is what was paid and went back. */
export async function checkEnd({ storage }: Fixture, objectStore: ObjectStore): Promise<string[]> {
  const { query, tables } = storage.database;
  const wrong = differencesOf(await storage.ledger.audit()).map((one) => JSON.stringify(one));
  const grants = new Map((await query.select().from(tables.creditGrant)).map((grant) => [grant.id, grant]));
  const topUps = new Map((await query.select().from(tables.topUp)).map((topUp) => [topUp.id, topUp]));
  const paid = objectStore.all<Intent>("payment_intent").filter(({ status }) => status === "succeeded");
  const ids = paid.map(({ metadata }) => metadata.top_up_id!);
  if (new Set(ids).size < ids.length) wrong.push("two payments of one top-up");
  for (const { amount, metadata } of paid) {
    const id = metadata.top_up_id!;
    const grant = grants.get(id.replace("topup_", "grant_"));
    if (grant?.amountMicros !== amount * 10_000) wrong.push(`${id} was paid and is not granted`);
    if (topUps.get(id)?.status !== "succeeded") wrong.push(`${id} was paid and is ${topUps.get(id)?.status}`);
  }
  const bought = [...grants.values()].filter(({ topUpId }) => topUpId !== null);
  if (bought.length !== paid.length) wrong.push(`${bought.length} grants for ${paid.length} payments`);
  const reversed = await query.select().from(tables.creditReversal);
  const gone = new Set(reversed.filter(({ id }) => !grants.has(`grant_${id}`)).map(({ id }) => id));
  const refunds = objectStore.all<Reclaim>("refund").filter(({ status }) => status === "succeeded");
  const disputes = objectStore.all<Reclaim>("dispute").filter(({ status }) => status !== "won");
  const expected = new Set([...refunds, ...disputes].map(({ id }) => id));
  if (gone.symmetricDifference(expected).size > 0)
    wrong.push("not all that went back was taken back, or more");
  const pending = [...topUps.values()].filter(({ status }) => status === "pending");
  if (pending.length > 0) wrong.push(`${pending.length} are pending for ever`);
  return wrong;
}
