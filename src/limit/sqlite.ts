/** Limits of one machine, in a file of their own: they survive a restart, and a lost one costs nobody money. */
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { type Bucket, type Taken, take } from "./bucket.ts";
import { type Answer, type Ask, LEASE_MS, type LimitStore } from "./limits.ts";

export function openSqliteLimits(folder: string): LimitStore {
  const sqlite = new Sqlite(join(folder, "limits.db"));
  sqlite.pragma("journal_mode = WAL");
  sqlite.pragma("synchronous = NORMAL");
  sqlite.pragma("busy_timeout = 40"); // a limit that cannot be asked is no limit: see fail-open.ts
  sqlite.exec(`
    create table if not exists bucket (
      organization_id text, name text, points real not null, at integer not null, primary key (organization_id, name)
    ) without rowid, strict;
    create table if not exists slot (
      organization_id text, id text, until integer not null, primary key (organization_id, id)
    ) without rowid, strict;`);
  const load = sqlite.prepare("select points, at from bucket where organization_id = ? and name = ?");
  const save = sqlite.prepare("replace into bucket (organization_id, name, points, at) values (?, ?, ?, ?)");
  const shorten = sqlite.prepare("update slot set until = ? where organization_id = ? and until > ?");
  const sweep = sqlite.prepare("delete from slot where organization_id = ? and until <= ?");
  const held = sqlite.prepare("select count(*) from slot where organization_id = ?").pluck();
  const hold = sqlite.prepare("replace into slot (organization_id, id, until) values (?, ?, ?)");
  const keep = sqlite.prepare("update slot set until = ? where organization_id = ? and id = ?");
  const free = sqlite.prepare("delete from slot where organization_id = ? and id = ?");

  function slotsHeld(organizationId: string, now: number): number {
    sweep.run(organizationId, now);
    shorten.run(now + LEASE_MS, organizationId, now + LEASE_MS); // by a clock that was stepped back
    return held.get(organizationId) as number;
  }

  const decide = sqlite.transaction(({ organizationId, now, take: takes, slot }: Ask): Answer => {
    const keep = (name: string, { points, at }: Bucket) => save.run(organizationId, name, points, at);
    const taken: Taken[] = [];
    const levels = () =>
      taken.map(({ bucket: { points }, retryMs, resetMs }) => ({ points, retryMs, resetMs }));
    for (const { bucket, cost, perMinute } of takes) {
      const stored = load.get(organizationId, bucket) as Bucket | null;
      const one = take(stored ?? null, perMinute, { cost, now });
      taken.push(one);
      if (one.admitted) continue;
      keep(bucket, one.bucket); // its time counts, where the clock was stepped back
      return { refused: bucket, levels: levels() };
    }
    if (slot && slotsHeld(organizationId, now) >= slot.max) return { refused: "slot", levels: levels() };
    if (slot) hold.run(organizationId, slot.id, now + LEASE_MS);
    for (const [at, { bucket }] of taken.entries()) keep(takes[at]!.bucket, bucket);
    return { refused: null, levels: levels() };
  });

  return {
    decide: async (ask) => decide.immediate(ask),
    renew: async (organizationId, slotId, now) =>
      keep.run(now + LEASE_MS, organizationId, slotId).changes > 0,
    release: async (organizationId, slotId) => void free.run(organizationId, slotId),
    async [Symbol.asyncDispose]() {
      sqlite.close();
    },
  };
}
