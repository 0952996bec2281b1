/** A fresh ledger for each test of a contract, on a held clock; after each test its stored figures must add up. */
import { afterEach, beforeEach, expect } from "bun:test";
import type { Write } from "../../../src/ledger/booking/write.ts";
import { type Ledger, openLedger } from "../../../src/ledger/ledger.ts";
import type { Store } from "../../../src/ledger/store.ts";
import { differencesOf } from "../../../src/ledger/verify.ts";
import { heldClock } from "../../harness.ts";
import type { Fixture } from "./ledger.ts";

/** How many of its next charges and refunds the store books, and then loses the answer. */
type Losses = { answers: number };

export type Fresh = { ledger: Ledger; clock: ReturnType<typeof heldClock>; losses: Losses };

/** `begin` receives the ledger and the clock of each test. */
export function freshLedger(prepare: () => Promise<Fixture>, begin: (fresh: Fresh) => void): void {
  let fixture: Fixture;
  let ledger: Ledger;
  beforeEach(async () => {
    const clock = heldClock(); // 03:04:05 of the second of January 2026
    const losses = { answers: 0 };
    fixture = await prepare();
    ledger = openLedger(losing(await fixture.open(), losses), clock);
    begin({ ledger, clock, losses });
  });
  afterEach(async () => {
    expect(differencesOf(await ledger.audit())).toEqual([]);
    await ledger[Symbol.asyncDispose]();
    await fixture[Symbol.asyncDispose]();
  });
}

const losing = (store: Store, losses: Losses): Store => ({
  ...store,
  async apply(writes: Write[]) {
    const outcomes = await store.apply(writes);
    const isLost = losses.answers > 0 && writes.some((write) => "charge" in write || "refund" in write);
    if (!isLost) return outcomes;
    losses.answers--;
    throw new Error("the answer was lost");
  },
});

/** What is left of each grant, by its id. */
export async function leftOf(ledger: Ledger): Promise<Record<string, number>> {
  const grants = await ledger.grants("org");
  return Object.fromEntries(grants.map(({ id, remainingMicros }) => [id, remainingMicros]));
}
