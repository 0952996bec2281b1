/** Accounts as the reference model keeps them: given every batch when it is committed, and compared with what is stored. */

import {
  type Account,
  type BudgetPeriod,
  type Grant,
  monthOf,
  type Reversal,
  type UsageEvent,
} from "../../../src/ledger/booking/burn-down.ts";
import type { Replayable } from "../../../src/ledger/booking/replay.ts";
import type { BudgetCount, UsageTotal } from "../../../src/ledger/booking/rollup.ts";
import type { RequestEnd, RequestLog, Write } from "../../../src/ledger/booking/write.ts";
import type { Plan } from "../../../src/plans.ts";
import { type Burns, type Coin, Model } from "../../contract/ledger/credit-model.ts";
import { ReferenceReplays } from "./replays.ts";
import { budgetsOf, daysOf } from "./sums.ts";

/** All that is stored of the organizations of a schedule. */
export type Stored = {
  accounts: Account[];
  grants: Grant[];
  events: UsageEvent[];
  reversals: Reversal[];
  logs: RequestLog[];
  totals: UsageTotal[];
  replayables: Replayable[];
  budgets: BudgetCount[];
};

type Event = {
  id: string;
  plan: Plan;
  micros: number;
  quantity: number;
  burns: Burns;
  owed: number;
  time: number;
  requestId: string;
  budgets: BudgetPeriod[];
};

class ModelAccount extends Model {
  events = new Map<string, Event>();
  reversals = new Map<string, { burns: Burns; owed: number }>();
  limit: number | null = 100_000_000;
  month = 0;
}

export class Reference {
  readonly #storage = new Map<string, ModelAccount>();
  readonly #replays = new ReferenceReplays();

  /** Books a committed batch, and says what each of its writes must be answered. */
  commit(writes: Write[]): object[] {
    return writes.map((write) => this.#book(write));
  }

  #of(organizationId: string): ModelAccount {
    const storage = this.#storage.get(organizationId) ?? new ModelAccount();
    this.#storage.set(organizationId, storage);
    return storage;
  }

  #book(write: Write): object {
    if ("forget" in write || "trim" in write || "renew" in write || "settle" in write)
      throw new Error("no schedule does this");
    if ("claim" in write) return this.#replays.claim(write.claim);
    if ("abandon" in write) return this.#replays.abandon(write.abandon);
    if ("charge" in write && !this.#of(write.charge.organizationId).events.has(write.charge.id))
      this.#replays.charge(write);
    if ("void" in write || "refund" in write) this.#replays.forget(write.replayable, "void" in write);
    if ("end" in write) return end(this.#of(write.end.organizationId), write.end);
    if ("log" in write) return note(this.#of(write.log.organizationId), write.log);
    if ("grant" in write) return give(this.#of(write.grant.organizationId), write.grant);
    if ("reversal" in write) return reverse(this.#of(write.reversal.organizationId), write.reversal);
    if ("void" in write) return takeBack(this.#of(write.void.organizationId), write.void);
    if ("refund" in write) return refund(this.#of(write.refund.organizationId), write.refund);
    if ("charge" in write) return charge(this.#of(write.charge.organizationId), write);
    if ("limit" in write) this.#of(write.limit.organizationId).limit = write.limit.micros;
    return { done: true };
  }

  /** What is stored and what must be, in the same shape. */
  compare(organizations: string[], stored: Stored): [stored: object, expected: object] {
    return [
      [...organizations.map((id) => storedOf(id, stored)), ofThese(organizations, stored.replayables)],
      [...organizations.map((id) => expectedOf(this.#of(id))), ofThese(organizations, this.#replays.rows())],
    ];
  }
}

const ofThese = (organizations: string[], rows: Replayable[]): Replayable[] =>
  byId(rows.filter(({ organizationId }) => organizations.includes(organizationId)));

function note(ledger: ModelAccount, log: RequestLog, micros = 0): object {
  const before = ledger.requests.get(log.id);
  ledger.requests.set(log.id, { ...log, costMicros: before ? before.costMicros + micros : log.costMicros });
  return { done: true };
}

/** Of a request that is not stored, nothing is. */
function end({ requests }: ModelAccount, ended: RequestEnd): object {
  const before = requests.get(ended.id);
  if (before) requests.set(ended.id, { ...before, ...ended });
  return { done: true };
}

function give(account: ModelAccount, grant: Extract<Write, { grant: unknown }>["grant"]): object {
  if (!account.coins.some(({ id }) => id === grant.id)) account.grant(grant);
  return { grant: { id: grant.id } };
}

function reverse(account: ModelAccount, reversal: Extract<Write, { reversal: unknown }>["reversal"]): object {
  const { id, organizationId, grantId, amountMicros, createdAt } = reversal;
  const known = account.reversals.get(id);
  if (known) return { reversal: { id, burns: known.burns, overdraftMicros: known.owed } };
  const coin = account.coins.find((one) => one.id === grantId);
  if (!coin) return { error: `${organizationId} has no grant ${grantId}` };
  const before = account.overdraft;
  const burns = account.reverse(coin, amountMicros, createdAt);
  const owed = account.overdraft - before;
  account.reversals.set(id, { burns, owed });
  return { reversal: { id, burns, overdraftMicros: owed } };
}

function charge(
  account: ModelAccount,
  { charge: input, request }: Extract<Write, { charge: unknown }>,
): object {
  const { id, plan, costMicros: micros, quantity, createdAt: time, requestId, budgets } = input;
  if (!account.events.has(id)) {
    const before = account.overdraft;
    const burns = account.charge(micros, time, plan);
    account.month = monthOf(time);
    const owed = account.overdraft - before;
    account.events.set(id, {
      id,
      plan,
      micros,
      quantity,
      burns,
      owed,
      time,
      requestId,
      budgets: budgets ?? [],
    });
    if (request) note(account, request, micros);
  }
  const event = account.events.get(id)!;
  return { event: { id, costMicros: event.micros, burns: event.burns, overdraftMicros: event.owed } };
}

function takeBack(
  account: ModelAccount,
  { id, plan, createdAt: time, requestId }: Extract<Write, { void: unknown }>["void"],
): object {
  const event = account.events.get(id);
  if (event?.micros === 0 && event.quantity === 0) return { done: true }; // it was taken back before
  if (account.events.has(`${id}.refund`)) return { error: `${id} was refunded, and cannot be voided` };
  if (event) account.takeBack(event, time);
  const log = event && account.requests.get(requestId);
  if (log) account.requests.set(requestId, { ...log, costMicros: log.costMicros - event.micros });
  account.events.set(id, {
    id,
    plan,
    micros: 0,
    quantity: 0,
    burns: [],
    owed: 0,
    time,
    requestId,
    budgets: [],
  });
  return { done: true };
}

function refund(
  account: ModelAccount,
  { chargeId, quantity, costMicros: micros }: Extract<Write, { refund: unknown }>["refund"],
): object {
  const charge = account.events.get(chargeId);
  const id = `${chargeId}.refund`;
  if (!account.events.has(id)) {
    if (!charge) return { error: `${chargeId} was never charged` };
    if (micros > charge.micros || quantity > charge.quantity)
      return { error: `${chargeId} was charged less than is to be refunded` };
    const { burns, owed } = account.refund(charge, micros, charge.time);
    const returned = burns.map(([grant, each]): [string, number] => [grant, -each]);
    const negative = { micros: 0 - micros, quantity: 0 - quantity, burns: returned, owed: 0 - owed };
    account.events.set(id, { ...charge, id, ...negative });
    const log = account.requests.get(charge.requestId);
    if (log) account.requests.set(charge.requestId, { ...log, costMicros: log.costMicros - micros });
  }
  const event = account.events.get(id)!;
  return { event: { id, costMicros: event.micros, burns: event.burns, overdraftMicros: event.owed } };
}

const byId = <T extends { id: string; organizationId?: string }>(rows: T[]): T[] =>
  rows.toSorted((a, b) => (`${a.organizationId} ${a.id}` < `${b.organizationId} ${b.id}` ? -1 : 1));

const paidOf = ({
  id,
  plan,
  micros,
  quantity,
  burns,
  owed,
}: Omit<Event, "time" | "requestId" | "budgets">) => ({
  ...{ id, plan, micros, quantity, burns, owed },
});

function expectedOf(account: ModelAccount): object {
  const { overdraft, purchased, limit, month, months, unmeteredMonths } = account;
  const { coins, events, requests, reversals } = account;
  const sums = { monthMicros: months.get(month) ?? 0, monthUnmetered: unmeteredMonths.get(month) ?? 0 };
  return {
    account: { overdraft, purchased, limit, month, ...sums },
    grants: byId(coins).map(({ id, left, settled }: Coin) => ({ id, left, settled })),
    events: byId([...events.values()]).map(paidOf),
    reversals: byId([...reversals].map(([id, { burns, owed }]) => ({ id, burns, owed }))),
    budgets: budgetsOf(
      [...events.values()].flatMap(({ budgets, micros }) =>
        budgets.map(([subject, start]) => ({ subject, start, micros })),
      ),
    ),
    logs: byId([...requests.values()]).map(({ id, status, costMicros }) => ({ id, status, costMicros })),
    days: daysOf([
      ...[...events.values()].map(({ time, plan, quantity, micros }) => ({
        ...{ time, requests: 0, quantity, micros },
        unmetered: plan === "unmetered" ? micros : 0,
      })),
      ...[...requests.values()].map(({ createdAt }) => ({
        time: createdAt,
        requests: 1,
        quantity: 0,
        micros: 0,
        unmetered: 0,
      })),
    ]),
  };
}

function storedOf(organizationId: string, stored: Stored): object {
  const rowsOf = <T extends { organizationId: string }>(rows: T[]) =>
    rows.filter((row) => row.organizationId === organizationId);
  const account = rowsOf(stored.accounts)[0];
  const days = rowsOf(stored.totals).filter(({ period }) => period === "day");
  return {
    account: {
      overdraft: account?.overdraftMicros ?? 0,
      purchased: account?.purchasedMicros ?? 0,
      limit: account ? account.monthlyLimitMicros : 100_000_000,
      month: account?.month ?? 0,
      monthMicros: account?.monthMicros ?? 0,
      monthUnmetered: account?.monthUnmeteredMicros ?? 0,
    },
    grants: byId(rowsOf(stored.grants)).map(({ id, remainingMicros, settledMicros }) => ({
      id,
      left: remainingMicros,
      settled: settledMicros,
    })),
    events: byId(rowsOf(stored.events)).map(({ costMicros: micros, overdraftMicros: owed, ...event }) =>
      paidOf({ ...event, micros, owed }),
    ),
    reversals: byId(rowsOf(stored.reversals)).map(({ id, burns, overdraftMicros }) => ({
      id,
      burns,
      owed: overdraftMicros,
    })),
    budgets: budgetsOf(rowsOf(stored.budgets)),
    logs: byId(rowsOf(stored.logs)).map(({ id, status, costMicros }) => ({ id, status, costMicros })),
    days: daysOf(
      days.map(({ start, requests, characters, costMicros, unmeteredMicros }) => ({
        time: start,
        requests,
        quantity: characters,
        micros: costMicros,
        unmetered: unmeteredMicros,
      })),
    ),
  };
}
