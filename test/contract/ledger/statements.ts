/** What every ledger store must tell of a month: each is the next one's begin, adds up, and is what was there when it ended. */
import { describe, expect, test } from "bun:test";
import { type Charge, monthOf, type NewGrant } from "../../../src/ledger/booking/burn-down.ts";
import { type Credit, type Ledger, openLedger } from "../../../src/ledger/ledger.ts";
import { type Statement, totalOf } from "../../../src/ledger/statement.ts";
import { differencesOf } from "../../../src/ledger/verify.ts";
import type { Amounts } from "../../../src/statement-fields.ts";
import { heldClock } from "../../harness.ts";
import { type Random, randomOf } from "../../ledger/simulation/workload.ts";
import { chargeOf, grantOf, requestFor } from "./charges.ts";
import { freshLedger } from "./fresh-ledger.ts";
import type { Fixture } from "./ledger.ts";

const DAY = 86_400;
const MONTHS = [202601, 202602, 202603, 202604];
const RUN_MS = 240_000;

const NOTHING = totalOf([]);

export function ledgerStatementsContract(name: string, prepare: () => Promise<Fixture>, runs: number) {
  describe(`${name}, statements`, () => {
    let ledger: Ledger;
    let clock = heldClock();
    const now = () => Math.floor(clock.now() / 1000);
    freshLedger(prepare, (fresh) => {
      ({ ledger, clock } = fresh);
    });
    const give = (id: string, amountMicros: number, parts: Partial<NewGrant> = {}) =>
      ledger.grant(grantOf({ id, amountMicros, createdAt: now(), ...parts }));
    async function spend(costMicros: number): Promise<Charge> {
      const charge = chargeOf({ costMicros, createdAt: now() });
      await ledger.charge(charge, requestFor(charge));
      return charge;
    }
    const only = async (month: number) => (await ledger.statements(month))[0];

    test("credit is opened, bought, given, used, taken back, lost and closed", async () => {
      await give("bought", 100);
      await give("given", 50, { kind: "voucher", expiresAt: now() + 40 * DAY });
      await spend(20); // of what was given
      const reversal = { organizationId: "org", grantId: "bought", createdAt: now() };
      await ledger.reverse({ id: "rev_1", kind: "refund", amountMicros: 30, ...reversal });
      expect(await ledger.statements(202512)).toEqual([]);
      const january = { ...NOTHING, bought: 100, given: 50, used_given: 20, refunded_bought: 30 };
      expect(await only(202601)).toEqual({
        ...{ organizationId: "org", ...january, closing_bought: 70, closing_given: 30 },
      });
      clock.pass(45 * DAY * 1000);
      await spend(80);
      await ledger.correct({
        ...{ id: "rev_2", amountMicros: 5, reason: "Wrong", overdraft: true, ...reversal, createdAt: now() },
      });
      await give("more", 40, { kind: "adjustment" });
      expect(await only(202602)).toEqual({
        ...{ organizationId: "org", ...NOTHING, opening_bought: 70, opening_given: 30, given: 40 },
        ...{ used_bought: 70, used_overdraft: 10, corrected_overdraft: 5, paid_off_given: 15 },
        ...{ expired_given: 30, closing_given: 25 },
      });
      expect(await only(202601)).toMatchObject({ ...january, closing_bought: 70, closing_given: 30 });
    });

    test("credit that expires at the first second of a month expires in that month", async () => {
      const end = Date.UTC(2026, 1) / 1000;
      await give("bought", 100, { expiresAt: end });
      clock.pass((end - now()) * 1000);
      expect(await only(202601)).toMatchObject({ closing_bought: 100, expired_bought: 0 });
      clock.pass(1000);
      expect(await only(202602)).toMatchObject({
        opening_bought: 100,
        expired_bought: 100,
        closing_bought: 0,
      });
    });

    test("what is given back counts when it was charged, also what it pays of later charges", async () => {
      await give("bought", 100);
      clock.pass(40 * DAY * 1000);
      const charge = await spend(100);
      await spend(50);
      await ledger.cancel(charge);
      expect(await only(202601)).toMatchObject({ closing_bought: 100, closing_overdraft: 0 });
      expect(await only(202602)).toMatchObject({
        ...{ opening_bought: 100, used_overdraft: 50, paid_off_bought: 50, closing_bought: 50 },
        closing_overdraft: 0,
      });
    });

    test("an unmetered charge takes nothing", async () => {
      const charge = chargeOf({ costMicros: 9, createdAt: now(), plan: "unmetered" });
      await ledger.charge(charge, requestFor(charge));
      expect(await ledger.statements(202601)).toEqual([]);
    });
  });

  test(
    `${name}: statements add up in ${runs} random runs of four months`,
    async () => {
      for (let seed = 1; seed <= runs; seed++) {
        await using fixture = await prepare();
        await run(fixture, seed);
      }
    },
    RUN_MS,
  );
}

async function run(fixture: Fixture, seed: number): Promise<void> {
  const clock = heldClock(Date.UTC(2026, 0, 1));
  await using ledger = openLedger(await fixture.open(), clock);
  const random = randomOf(seed);
  const drawn = { ledger, random, charges: [] as Charge[], grants: [] as NewGrant[] };
  const ends = new Map<number, Map<string, Credit>>();
  for (const month of MONTHS) {
    const end = Date.UTC(Math.floor(month / 100), month % 100) - 1000;
    for (let step = 0; step < 8; step++) {
      clock.pass(random.below(Math.floor((end - clock.now()) / (8 - step) / 1000)) * 1000);
      await act(drawn, clock.now() / 1000);
    }
    if (month === MONTHS.at(-1)) break;
    clock.pass(end - clock.now());
    ends.set(month, await balances(ledger));
    clock.pass(1000);
    drawn.charges.length = 0; // what is given back of them would change what was there
  }
  ends.set(MONTHS.at(-1)!, await balances(ledger));
  let before: Statement[] = [];
  for (const month of MONTHS) {
    const statements = await ledger.statements(month);
    for (const statement of statements) expectToAddUp(statement, `seed ${seed}, ${month}`);
    expect(closings(statements)).toEqual(ends.get(month)!);
    const next = new Map(statements.map((each) => [each.organizationId, each]));
    for (const { organizationId, closing_bought, closing_given, closing_overdraft } of before)
      expect(next.get(organizationId) ?? NOTHING).toMatchObject({
        opening_bought: closing_bought,
        opening_given: closing_given,
        opening_overdraft: closing_overdraft,
      });
    before = statements;
  }
  expect(monthOf(clock.now() / 1000)).toBe(MONTHS.at(-1)!);
  expect(differencesOf(await ledger.audit())).toEqual([]);
}

const ORGANIZATIONS = ["one", "two"];

/** Balance and overdraft of those that have any. */
async function balances(ledger: Ledger) {
  const creditOf = await ledger.credits();
  const all = ORGANIZATIONS.map((id) => [id, creditOf(id)] as const);
  return amountsOf(
    all.map(([id, { balanceMicros, overdraftMicros }]) => [id, balanceMicros, overdraftMicros]),
  );
}

const closings = (statements: Statement[]) =>
  amountsOf(
    statements.map((each) => [
      each.organizationId,
      each.closing_bought + each.closing_given,
      each.closing_overdraft,
    ]),
  );

const amountsOf = (rows: [id: string, balanceMicros: number, overdraftMicros: number][]) =>
  new Map(
    rows
      .filter(([, balanceMicros, overdraftMicros]) => balanceMicros + overdraftMicros > 0)
      .map(([id, balanceMicros, overdraftMicros]) => [id, { balanceMicros, overdraftMicros } as Credit]),
  );

function expectToAddUp(of: Amounts, where: string): void {
  for (const kind of ["bought", "given"] as const) {
    const gone = of[`used_${kind}`] + of[`refunded_${kind}`] + of[`corrected_${kind}`];
    const left = of[`opening_${kind}`] + of[kind] - gone - of[`paid_off_${kind}`] - of[`expired_${kind}`];
    expect([where, kind, left]).toEqual([where, kind, of[`closing_${kind}`]]);
    expect([where, kind, left < 0]).toEqual([where, kind, false]);
  }
  const owed = of.opening_overdraft + of.used_overdraft + of.refunded_overdraft + of.corrected_overdraft;
  expect([where, owed - of.paid_off_bought - of.paid_off_given]).toEqual([where, of.closing_overdraft]);
}

type Drawn = { ledger: Ledger; random: Random; charges: Charge[]; grants: NewGrant[] };

async function act({ ledger, random, charges, grants }: Drawn, now: number): Promise<void> {
  const organizationId = random.oneOf(ORGANIZATIONS);
  const kind = random.below(10);
  const id = `${organizationId}_${now}_${random.below(1e9)}`;
  const charge = charges.length > 0 ? random.oneOf(charges) : null;
  const given = grants.length > 0 ? random.oneOf(grants) : null;
  if (kind < 3) {
    const expiresAt = random.chance(0.5) ? now + 1 + random.below(60 * DAY) : null;
    const as = random.oneOf(["purchase", "adjustment", "voucher"] as const);
    const grant = { ...{ id, organizationId, createdAt: now, expiresAt, kind: as, topUpId: null } };
    grants.push({ ...grant, amountMicros: 1 + random.below(500) });
    await ledger.grant(grants.at(-1)!);
  } else if (kind < 4 && given) {
    const { id: grantId, organizationId: owner, amountMicros } = given;
    const of = { id, organizationId: owner, grantId, createdAt: now };
    const micros = 1 + random.below(Math.max(1, amountMicros - 1));
    if (given.kind === "purchase" && random.chance(0.5))
      await ledger.reverse({ ...of, kind: "refund", amountMicros: micros });
    else
      await ledger.correct({ ...of, amountMicros: micros, reason: "Wrong", overdraft: random.chance(0.5) });
  } else if (kind < 5 && charge) {
    charges.splice(charges.indexOf(charge), 1);
    if (random.chance(0.5)) return ledger.cancel(charge);
    const costMicros = random.below(charge.costMicros + 1);
    const { id: chargeId, organizationId: owner, requestId } = charge;
    const refund = { chargeId, organizationId: owner, requestId, quantity: costMicros, costMicros };
    await ledger.refund(refund);
  } else {
    const made = chargeOf({ organizationId, costMicros: random.below(200), createdAt: now });
    await ledger.charge(made, requestFor(made));
    charges.push(made);
  }
}
