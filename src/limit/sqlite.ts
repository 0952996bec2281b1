/**
 * Limits of one machine: counted in memory, and noted in a file of their own, so that a restart fills nobody's bucket.
 * A crash forgets the last second. Slots are not noted: whoever held them is gone with the process.
 */
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { type Bucket, take } from "./bucket.ts";
import { type Answer, type Ask, LEASE_MS, type Level, type LimitStore } from "./limits.ts";

const NOTE_MS = 1000;

/** `fullAt`: when there is nothing to remember of it any more. */
type Noted = Bucket & { fullAt: number };

export function openSqliteLimits(folder: string): LimitStore {
  const file = openFile(folder);
  const buckets = file.load();
  const changed = new Map<string, Noted>();
  const slots = openSlots();
  let asked = 0;

  function note(): void {
    for (const [key, { fullAt }] of buckets) if (fullAt <= asked) buckets.delete(key);
    file.save(changed, asked);
    changed.clear();
  }
  const noting = setInterval(note, NOTE_MS);

  function decide({ organizationId, now, take: takes, slot }: Ask): Answer {
    asked = now;
    const levels: Level[] = [];
    const taken: [key: string, bucket: Noted][] = [];
    const keep = ([key, bucket]: [string, Noted]) => {
      buckets.set(key, bucket);
      changed.set(key, bucket);
    };
    for (const { bucket: name, cost, perMinute } of takes) {
      const key = `${organizationId} ${name}`;
      const { admitted, bucket, retryMs, resetMs } = take(buckets.get(key) ?? null, perMinute, { cost, now });
      levels.push({ points: bucket.points, retryMs, resetMs });
      taken.push([key, { ...bucket, fullAt: now + resetMs }]);
      if (admitted) continue;
      keep(taken.at(-1)!); // its time counts, where the clock was stepped back
      return { refused: name, levels };
    }
    if (slot && !slots.hold(organizationId, slot, now)) return { refused: "slot", levels };
    taken.forEach(keep);
    return { refused: null, levels };
  }

  return {
    decide: async (ask) => decide(ask),
    renew: async (organizationId, slotId, now) => slots.renew(organizationId, slotId, now),
    release: async (organizationId, slotId) => slots.release(organizationId, slotId),
    inFlight: async (organizationId, now) => slots.count(organizationId, now),
    async [Symbol.asyncDispose]() {
      clearInterval(noting);
      note();
      file.close();
    },
  };
}

/** By organization: each slot and when its lease ends. */
function openSlots() {
  const slots = new Map<string, Map<string, number>>();
  return {
    hold(organizationId: string, { id, max }: { id: string; max: number }, now: number): boolean {
      const held = slots.get(organizationId) ?? new Map<string, number>();
      if (held.size >= max) endLeases(held, now);
      if (held.size >= max) return false;
      slots.set(organizationId, held.set(id, now + LEASE_MS));
      return true;
    },
    renew(organizationId: string, id: string, now: number): boolean {
      const held = slots.get(organizationId);
      if (!held?.has(id)) return false;
      held.set(id, now + LEASE_MS);
      return true;
    },
    release(organizationId: string, id: string): void {
      const held = slots.get(organizationId);
      held?.delete(id);
      if (held?.size === 0) slots.delete(organizationId);
    },
    count(organizationId: string, now: number): number {
      const held = slots.get(organizationId) ?? new Map<string, number>();
      endLeases(held, now);
      return held.size;
    },
  };
}

/** No lease lasts longer than it would from now: the clock may have been stepped back. */
function endLeases(held: Map<string, number>, now: number): void {
  for (const [id, until] of held) {
    if (until <= now) held.delete(id);
    else if (until > now + LEASE_MS) held.set(id, now + LEASE_MS);
  }
}

function openFile(folder: string) {
  const sqlite = new Sqlite(join(folder, "limits.db"));
  sqlite.pragma("journal_mode = WAL");
  sqlite.pragma("synchronous = NORMAL");
  sqlite.exec(`create table if not exists bucket_level (
    key text primary key, points real not null, at integer not null, full_at integer not null) without rowid, strict`);
  const save = sqlite.prepare("replace into bucket_level (key, points, at, full_at) values (?, ?, ?, ?)");
  const forget = sqlite.prepare("delete from bucket_level where full_at <= ?");
  return {
    load() {
      const rows = sqlite.prepare("select key, points, at, full_at as fullAt from bucket_level").all();
      return new Map((rows as (Noted & { key: string })[]).map(({ key, ...noted }) => [key, noted]));
    },
    /** What cannot be noted now is noted with its next change: that a disk is full, the ledger says. */
    save(changed: Map<string, Noted>, now: number): void {
      if (changed.size === 0) return;
      try {
        sqlite.transaction(() => {
          for (const [key, { points, at, fullAt }] of changed) save.run(key, points, at, fullAt);
          forget.run(now);
        })();
      } catch {}
    },
    close: () => void sqlite.close(),
  };
}
