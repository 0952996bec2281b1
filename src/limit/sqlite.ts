/** Limits of one machine, in a file of their own: they survive a restart, and a lost one costs nobody money. */
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { type Bucket, take } from "./bucket.ts";
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

  const decide = sqlite.transaction(({ organizationId, now, take: wanted, slot }: Ask): Answer => {
    const stored = wanted && (load.get(organizationId, wanted.bucket) as Bucket | undefined);
    const taken = wanted && take(stored ?? null, wanted.perMinute, { cost: wanted.cost, now });
    const told = {
      points: taken?.bucket.points ?? null,
      retryMs: taken?.retryMs ?? 0,
      resetMs: taken?.resetMs ?? 0,
    };
    const keepPoints = () => {
      if (taken) save.run(organizationId, wanted?.bucket, taken.bucket.points, taken.bucket.at);
    };
    if (taken && !taken.admitted) {
      keepPoints(); // its time counts, where the clock was stepped back
      return { refused: "bucket", ...told };
    }
    if (slot && slotsHeld(organizationId, now) >= slot.max) {
      return { refused: "slot", ...told, points: taken && taken.bucket.points + (wanted?.cost ?? 0) };
    }
    if (slot) hold.run(organizationId, slot.id, now + LEASE_MS);
    keepPoints();
    return { refused: null, ...told };
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
