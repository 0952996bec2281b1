/** A fresh ledger for each test of a contract, on a held clock; after each test its stored figures must add up. */
import { afterEach, beforeEach, expect } from "bun:test";
import { type Ledger, openLedger } from "../../../src/ledger/ledger.ts";
import type { Store } from "../../../src/ledger/store.ts";
import { differencesOf } from "../../../src/ledger/verify.ts";
import { heldClock } from "../../harness.ts";
import type { Fixture } from "./ledger.ts";

type Fresh = { ledger: Ledger; clock: ReturnType<typeof heldClock> };

/** `begin` receives the ledger and the clock of each test; `wrap` may stand between the ledger and its store. */
export function freshLedger(
  prepare: () => Promise<Fixture>,
  begin: (fresh: Fresh) => void,
  wrap = (store: Store) => store,
): void {
  let fixture: Fixture;
  let ledger: Ledger;
  beforeEach(async () => {
    const clock = heldClock(); // 03:04:05 of the second of January 2026
    fixture = await prepare();
    ledger = openLedger(wrap(await fixture.open()), clock);
    begin({ ledger, clock });
  });
  afterEach(async () => {
    expect(differencesOf(await ledger.audit())).toEqual([]);
    await ledger[Symbol.asyncDispose]();
    await fixture[Symbol.asyncDispose]();
  });
}
