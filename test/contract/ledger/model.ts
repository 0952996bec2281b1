/** The reference model that every ledger store is compared with, under any interleaving. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { type Charge, monthOf } from "../../../src/ledger/booking/burn-down.ts";
import type { RequestLog } from "../../../src/ledger/booking/write.ts";
import { type Ledger, openLedger } from "../../../src/ledger/ledger.ts";
import { differencesOf } from "../../../src/ledger/verify.ts";
import type { Plan } from "../../../src/plans.ts";
import { heldClock } from "../../harness.ts";
import { chargeOf, requestFor, requestOf } from "./charges.ts";
import { Model } from "./credit-model.ts";
import type { Fixture } from "./ledger.ts";

const DAY = 86_400;
const RUN_MS = 240_000;

type Step =
  | { kind: "grant"; micros: number; days: number | null; purchase: boolean }
  | { kind: "charges"; micros: number[] }
  | { kind: "reversal"; of: number; micros: number; by: "refund" | "correction" | "overdraft" }
  | { kind: "request"; of: number; status: number; model: string | null }
  | { kind: "again" }
  | { kind: "plan"; plan: Plan }
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
    fc.record({
      kind: fc.constant("reversal" as const),
      of: fc.nat({ max: 24 }),
      micros: fc.integer({ min: 1, max: 600 }),
      by: fc.constantFrom("refund" as const, "correction" as const, "overdraft" as const),
    }),
    fc.record({
      kind: fc.constant("request" as const),
      of: fc.nat({ max: 3 }),
      status: fc.constantFrom(101, 200, 429, 499, 500),
      model: fc.option(fc.constantFrom("svc-tts1", "svc-stt1")),
    }),
    fc.record({ kind: fc.constant("again" as const) }),
    fc.record({
      kind: fc.constant("plan" as const),
      plan: fc.constantFrom("unmetered" as const, "prepaid" as const),
    }),
    fc.record({ kind: fc.constant("pass" as const), seconds: fc.integer({ min: -3600, max: 2 * DAY }) }),
    fc.record({
      kind: fc.constant("pass" as const),
      seconds: fc.integer({ min: -400 * DAY, max: 400 * DAY }),
    }),
    fc.record({ kind: fc.constant("restart" as const) }),
  ),
  { maxLength: 25 },
);

/** Any interleaving of grants, charges, repeats, time and restarts leaves what the model says. */
export function ledgerProperty(name: string, prepare: () => Promise<Fixture>, runs: number) {
  test(
    `${name} equals the reference model in ${runs} random runs`,
    () =>
      fc.assert(
        fc.asyncProperty(steps, async (taken) => {
          await using fixture = await prepare();
          await follow(fixture, taken);
        }),
        { numRuns: runs },
      ),
    RUN_MS,
  );
}

async function follow(fixture: Fixture, taken: Step[]): Promise<void> {
  const clock = heldClock();
  const model = new Model();
  const now = () => Math.floor(clock.now() / 1000);
  let ledger = openLedger(await fixture.open(), clock);
  let last: Charge | null = null;
  const riding: Promise<void>[] = [];
  let latest = 0;
  let plan: Plan = "prepaid";
  for (const [index, step] of taken.entries()) {
    if (step.kind === "pass") clock.pass(step.seconds * 1000);
    if (step.kind === "plan") plan = step.plan;
    if (step.kind === "restart") {
      await ledger[Symbol.asyncDispose]();
      ledger = openLedger(await fixture.open(), clock);
    }
    if (step.kind === "grant") {
      const expiresAt = step.days === null ? null : now() + step.days * DAY;
      const kind = step.purchase ? "purchase" : "adjustment";
      const id = `grant_${String(index).padStart(3, "0")}`;
      const grant = { id, organizationId: "org", kind, createdAt: now(), expiresAt, topUpId: null } as const;
      model.grant({ ...grant, amountMicros: step.micros });
      await ledger.grant({ ...grant, amountMicros: step.micros });
    }
    if (step.kind === "reversal" && step.by !== "refund" && model.coins.length > 0) {
      const coin = model.coins[step.of % model.coins.length]!;
      const overdraft = step.by === "overdraft";
      const expected = model.correct(coin, step.micros, { now: now(), overdraft });
      const correction = { id: `rev_${index}`, organizationId: "org", grantId: coin.id, reason: "Wrong" };
      const correct = () =>
        ledger.correct({ ...correction, amountMicros: step.micros, createdAt: now(), overdraft });
      for (const outcome of await Promise.all([correct(), correct()]))
        expect(outcome).toMatchObject(expected);
    }
    if (step.kind === "reversal" && step.by === "refund" && model.coins.length > 0) {
      const coin = model.coins[step.of % model.coins.length]!;
      const burns = model.reverse(coin, step.micros, now());
      const reversal = {
        id: `refund_${index}`,
        organizationId: "org",
        grantId: coin.id,
        kind: "refund",
      } as const;
      const reverse = () => ledger.reverse({ ...reversal, amountMicros: step.micros, createdAt: now() });
      for (const reversal of await Promise.all([reverse(), reverse()])) expect(reversal.burns).toEqual(burns);
    }
    if (step.kind === "request") {
      const before = model.requests.get(`req_${step.of}`);
      const { status, model: spoken } = step;
      const createdAt = before?.createdAt ?? now();
      const log = requestOf({ id: `req_${step.of}`, createdAt, status, model: spoken });
      model.requests.set(log.id, log);
      riding.push(ledger.log(log)); // with what comes, or with the closing
    }
    if (step.kind === "charges") {
      const expected = step.micros.map((micros) => model.charge(micros, now(), plan));
      const charges = step.micros.map((costMicros, n) =>
        chargeOf({ id: `${index}.${n}`, requestId: `${index}.${n}`, plan, costMicros, createdAt: now() }),
      );
      const noted = charges.map((charge) => requestFor(charge));
      for (const log of noted) model.requests.set(log.id, log);
      const events = await Promise.all(charges.map((charge, n) => ledger.charge(charge, noted[n])));
      for (const log of noted) riding.push(ledger.log({ ...log, durationMs: 2 }, log));
      expect(events.map(({ burns }) => burns)).toEqual(expected);
      last = charges.at(-1)!;
    }
    if (step.kind === "again" && last) await ledger.charge(last, requestFor(last));
    const credit = await ledger.credit("org");
    expect(credit.balanceMicros).toBe(model.balance(now()));
    expect(credit.overdraftMicros).toBe(model.overdraft);
    expect(credit.purchasedMicros).toBe(model.purchased);
    const [month, unmetered] = [model.months, model.unmeteredMonths].map((of) => of.get(monthOf(now())) ?? 0);
    expect([credit.monthUsageMicros, credit.monthMicros]).toEqual([month!, month! - unmetered!]);
    latest = Math.max(latest, now()); // stepped back, a clock brings what had expired to life again
    if (now() === latest) expect(Math.min(credit.balanceMicros, credit.overdraftMicros)).toBe(0);
  }
  const left = (await ledger.grants("org")).reduce((sum, { remainingMicros }) => sum + remainingMicros, 0);
  expect(model.granted).toBe(left + model.burned + model.settled);
  expect(differencesOf(await ledger.audit())).toEqual([]);
  await Promise.all(riding);
  await hasTheSumsOf(model, ledger);
  await ledger[Symbol.asyncDispose]();
}

/** Hours and days say the same, and what the requests were noted as last. */
async function hasTheSumsOf({ requests, spent }: Model, ledger: Ledger): Promise<void> {
  const logs = [...requests.values()];
  const isError = ({ status }: RequestLog) => status === 429 || status === 500;
  for (const bucket of ["hour", "day"] as const) {
    const rows = await ledger.usage({
      organizationId: "org",
      start: 0,
      end: Number.MAX_SAFE_INTEGER,
      bucket,
      groupBy: ["model"],
      filters: {},
    });
    for (const model of ["", "svc-tts1", "svc-stt1"]) {
      const ofModel = logs.filter((log) => (log.model ?? "") === model);
      const sum = (name: "requests" | "errors" | "characters" | "costMicros") =>
        rows.filter(({ groups }) => groups.model === model).reduce((total, row) => total + row[name], 0);
      expect([model, sum("requests"), sum("errors")]).toEqual([
        model,
        ofModel.length,
        ofModel.filter(isError).length,
      ]);
      const cost = model === "svc-tts1" ? spent : 0;
      expect([sum("characters"), sum("costMicros")]).toEqual([cost, cost]);
    }
  }
}
