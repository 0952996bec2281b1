/** The model every ledger store is held to: credit as a child would keep it, under any interleaving. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import type { Charge } from "../../src/ledger/book.ts";
import { openLedger } from "../../src/ledger/ledger.ts";
import { differencesOf } from "../../src/ledger/verify.ts";
import { heldClock } from "../harness.ts";
import type { Ground } from "./ledger.ts";

const DAY = 86_400;
const RUN_MS = 240_000;

type Step =
  | { kind: "grant"; micros: number; days: number | null; purchase: boolean }
  | { kind: "charges"; micros: number[] }
  | { kind: "again" }
  | { kind: "pass"; seconds: number }
  | { kind: "restart" };

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constant("grant" as const),
      micros: fc.integer({ min: 1, max: 1000 }),
      days: fc.option(fc.integer({ min: 1, max: 3 })),
      purchase: fc.boolean(),
    }),
    fc.record({
      kind: fc.constant("charges" as const),
      micros: fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 8 }),
    }),
    fc.record({ kind: fc.constant("again" as const) }),
    fc.record({ kind: fc.constant("pass" as const), seconds: fc.integer({ min: -3600, max: 2 * DAY }) }),
    fc.record({ kind: fc.constant("restart" as const) }),
  ),
  { maxLength: 25 },
);

/** Credit as a child would keep it: a list of coins, each with its day. */
class Model {
  coins: { id: string; left: number; expiresAt: number; createdAt: number }[] = [];
  overdraft = 0;
  granted = 0;
  settled = 0;
  burned = 0;

  grant(id: string, micros: number, createdAt: number, expiresAt: number | null) {
    const pays = Math.min(this.overdraft, micros);
    this.overdraft -= pays;
    this.settled += pays;
    this.granted += micros;
    this.coins.push({ id, left: micros - pays, expiresAt: expiresAt ?? Number.POSITIVE_INFINITY, createdAt });
  }

  charge(micros: number, now: number): [string, number][] {
    const burns: [string, number][] = [];
    for (let owed = micros; owed > 0; ) {
      const live = this.coins.filter(({ left, expiresAt }) => left > 0 && expiresAt > now);
      const next = live.reduce<(typeof live)[0] | null>((best, coin) => {
        if (best === null || coin.expiresAt < best.expiresAt) return coin;
        if (coin.expiresAt > best.expiresAt || coin.createdAt > best.createdAt) return best;
        return coin.createdAt < best.createdAt || coin.id < best.id ? coin : best;
      }, null);
      if (next === null) {
        this.overdraft += owed;
        return burns;
      }
      const pays = Math.min(owed, next.left);
      next.left -= pays;
      this.burned += pays;
      owed -= pays;
      burns.push([next.id, pays]);
    }
    return burns;
  }

  balance(now: number) {
    return this.coins.reduce((sum, { left, expiresAt }) => sum + (expiresAt > now ? left : 0), 0);
  }
}

/** Any interleaving of grants, charges, repeats, time and restarts leaves what the model says. */
export function ledgerProperty(name: string, prepare: () => Promise<Ground>, runs: number) {
  test(
    `${name} keeps the books of the model, ${runs} times`,
    () =>
      fc.assert(
        fc.asyncProperty(steps, async (taken) => {
          await using ground = await prepare();
          await follow(ground, taken);
        }),
        { numRuns: runs },
      ),
    RUN_MS,
  );
}

async function follow(ground: Ground, taken: Step[]): Promise<void> {
  const clock = heldClock();
  const model = new Model();
  const now = () => Math.floor(clock.now() / 1000);
  let ledger = openLedger(await ground.open(), clock);
  let last: Charge | null = null;
  for (const [at, step] of taken.entries()) {
    if (step.kind === "pass") clock.pass(step.seconds * 1000);
    if (step.kind === "restart") {
      await ledger[Symbol.asyncDispose]();
      ledger = openLedger(await ground.open(), clock);
    }
    if (step.kind === "grant") {
      const expiresAt = step.days === null ? null : now() + step.days * DAY;
      const kind = step.purchase ? "purchase" : "adjustment";
      const id = `grant_${String(at).padStart(3, "0")}`;
      model.grant(id, step.micros, now(), expiresAt);
      const wanted = { id, organizationId: "org", kind, createdAt: now(), expiresAt, topUpId: null } as const;
      await ledger.grant({ ...wanted, amountMicros: step.micros });
    }
    if (step.kind === "charges") {
      const expected = step.micros.map((micros) => model.charge(micros, now()));
      const charges = step.micros.map((costMicros, n) => chargeOf(`${at}.${n}`, costMicros, now()));
      const events = await Promise.all(charges.map((charge) => ledger.charge(charge)));
      expect(events.map(({ burns }) => burns)).toEqual(expected);
      last = charges.at(-1)!;
    }
    if (step.kind === "again" && last) await ledger.charge(last);
    const credit = await ledger.credit("org");
    expect(credit.balanceMicros).toBe(model.balance(now()));
    expect(credit.overdraftMicros).toBe(model.overdraft);
  }
  const left = (await ledger.grants("org")).reduce((sum, { remainingMicros }) => sum + remainingMicros, 0);
  expect(model.granted).toBe(left + model.burned + model.settled);
  expect(differencesOf(await ledger.audit())).toEqual([]);
  await ledger[Symbol.asyncDispose]();
}

const chargeOf = (id: string, costMicros: number, createdAt: number): Charge => ({
  id,
  organizationId: "org",
  projectId: "proj",
  keyId: "key",
  environment: "test",
  requestId: id,
  endpoint: "/v1/audio/speech",
  model: "svc-tts1",
  unit: "character",
  quantity: costMicros,
  priceMicros: 1_000_000,
  costMicros,
  createdAt,
});
