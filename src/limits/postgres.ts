/**
 * Limits shared by several nodes, in PostgreSQL: for those without Redis. There is one row for each organization, which a
 * node locks to decide: what arrived meanwhile is decided together, in two round trips.
 *
 *   asks ──> waiting ──a batch at a time──> lock the rows ──> decide in memory ──> save, commit
 *
 * The table is unlogged: a decision waits for no disk, and a crash of the database leaves buckets full and slots free.
 */
import { inBatches } from "../batching.ts";
import type { PostgresDatabase, Ask as Send, Statement } from "../db/open-postgres.ts";
import { TransientMap } from "../transient.ts";
import type { Bucket } from "./bucket.ts";
import { type Answer, type Ask, LEASE_MS, type LimitStore } from "./limits.ts";
import { openMemoryLimits } from "./memory.ts";

/** `slots`: the end of each lease, in Unix milliseconds. */
type LevelRow = { organizationId: string; buckets: Record<string, Bucket>; slots: Record<string, number> };

const BEGIN = { text: "begin" };
const COMMIT = { text: "commit" };
const ROLLBACK = { text: "rollback" };

/** In one order on every node, so that no two wait for each other. */
const lock = (organizationIds: string[]): Statement => ({
  name: "limit_lock",
  text: `select organization_id as "organizationId", buckets, slots from limit_level
         where organization_id = any($1) order by organization_id for update`,
  values: [organizationIds],
});

const create = (organizationIds: string[]): Statement => ({
  name: "limit_create",
  text: `insert into limit_level (organization_id, buckets, slots) select id, '{}', '{}' from unnest($1::text[]) as id
         order by id on conflict do nothing`,
  values: [organizationIds],
});

const save = (changed: LevelRow[]): Statement => ({
  name: "limit_save",
  text: `update limit_level set buckets = after.buckets, slots = after.slots
         from jsonb_to_recordset($1::jsonb) as after("organizationId" text, buckets jsonb, slots jsonb)
         where organization_id = after."organizationId"`,
  values: [JSON.stringify(changed)],
});

const renew = (organizationId: string, slotId: string, untilMs: number): Statement => ({
  name: "limit_renew",
  text: `update limit_level set slots = slots || jsonb_build_object($2::text, $3::bigint)
         where organization_id = $1 and slots ? $2 returning 1`,
  values: [organizationId, slotId, untilMs],
});

type HeldSlot = [organizationId: string, slotId: string];

/** Locks in the order of `lock`. */
const release = (slots: HeldSlot[]): Statement => ({
  name: "limit_release",
  text: `with released as (
           select organization_id, array_agg(slot_id) as slot_ids
           from unnest($1::text[], $2::text[]) as slot(organization_id, slot_id) group by organization_id
         ), held as (
           select organization_id from limit_level where organization_id = any($1)
           order by organization_id for update
         )
         update limit_level set slots = slots - released.slot_ids from held join released using (organization_id)
         where limit_level.organization_id = held.organization_id`,
  values: [slots.map(([organizationId]) => organizationId), slots.map(([, slotId]) => slotId)],
});

const count = (organizationId: string, now: number): Statement => ({
  name: "limit_count",
  text: `select count(*)::int as held from limit_level, jsonb_each_text(slots) as slot
         where organization_id = $1 and slot.value::bigint > $2`,
  values: [organizationId, now],
});

/** Closing it leaves the database open. */
export function openPostgresLimits({ connected }: Pick<PostgresDatabase, "connected">): LimitStore {
  const releases = inBatches((slots: HeldSlot[]) =>
    connected(async (send) => {
      await send(release(slots));
      return slots.map(() => undefined);
    }),
  );
  return {
    decide: inBatches((asks: Ask[]) => connected((send) => decideAll(send, asks))),
    renew: (organizationId, slotId, now) =>
      connected(async (send) => (await send(renew(organizationId, slotId, now + LEASE_MS))).length > 0),
    release: (organizationId, slotId) => releases([organizationId, slotId]),
    inFlight: (organizationId, now) =>
      connected(async (send) => ((await send(count(organizationId, now))) as { held: number }[])[0]!.held),
    async [Symbol.asyncDispose]() {},
  };
}

async function decideAll(send: Send, asks: Ask[]): Promise<Answer[]> {
  const ids = [...new Set(asks.map(({ organizationId }) => organizationId))];
  let [, rows] = await Promise.all([BEGIN, lock(ids)].map(send));
  if (rows!.length < ids.length)
    rows = (await Promise.all([ROLLBACK, create(ids), BEGIN, lock(ids)].map(send))).at(-1);
  const levels = new Map((rows as LevelRow[]).map((row) => [row.organizationId, openLevel(row)]));
  const answers: Answer[] = [];
  for (const ask of asks) answers.push(await levels.get(ask.organizationId)!.decide(ask));
  const changed = [...levels.values()].flatMap((level) => level.changed() ?? []);
  await Promise.all([...(changed.length > 0 ? [save(changed)] : []), COMMIT].map(send));
  return answers;
}

/** A minute fills it, and by then its loans have ended. */
const FULL_AFTER_MS = 120_000;

/** Those of keys and projects are left out of the row once they are full: there may be many. */
const isOfACap = (key: string): boolean => key.includes("/");

/** Decides by the arithmetic of a single server. */
function openLevel({ organizationId, buckets, slots }: LevelRow) {
  const prefix = `${organizationId} `;
  const levels = new Map(
    Object.entries(buckets).map(([name, bucket]) => [prefix + name, { ...bucket, fullAt: Infinity }]),
  );
  const held = new TransientMap(Object.entries(slots));
  let isChanged = false;
  let newest = 0;
  const keep = (_: string, { at }: Bucket) => {
    isChanged = true;
    newest = Math.max(newest, at);
  };
  const memory = openMemoryLimits(levels, { slots: new TransientMap([[organizationId, held]]), keep });
  return {
    decide: memory.decide,
    /** Null where the row is as it was. */
    changed(): LevelRow | null {
      const leases = Object.fromEntries(held);
      if (!isChanged && Bun.deepEquals(leases, slots)) return null;
      const after = [...levels]
        .filter(([key, { at }]) => !isOfACap(key) || at > newest - FULL_AFTER_MS)
        .map(([key, { fullAt: _, ...bucket }]) => [key.slice(prefix.length), bucket]);
      return { organizationId, buckets: Object.fromEntries(after), slots: leases };
    },
  };
}
