/**
 * Applies a batch of writes to loaded rows: the part that every store shares. Pure, except that it changes the loaded
 * grants.
 *
 *   writes ──rowIdsOf──> ids ──store loads──> rows ──bookAll──> outcomes, and the changes to save      (row-ids.ts)
 */
import { alertingOf } from "./alerting.ts";
import { alertBalances } from "./balance-alert.ts";
import { endRequest, type Logs, noteRequest, unnote } from "./batch-logs.ts";
import {
  abandonReplay,
  claimReplay,
  forgetReplay,
  noteCharged,
  type Replays,
  renewReplay,
  voidReplay,
} from "./batch-replays.ts";
import { noteAudit, type Settings, setBalanceAlert, setLimit } from "./batch-settings.ts";
import {
  type Account,
  bookCharge,
  bookGrant,
  bookReversal,
  bookVoid,
  type Charge,
  creditFrom,
  type Grant,
  type MonthSums,
  monthOf,
  type NewGrant,
  type NewReversal,
  newAccount,
  type Reversal,
  type UsageEvent,
  unmeteredOf,
  voidEvent,
} from "./burn-down.ts";
import type { Changes, Loaded } from "./changes.ts";
import { type NewRefund, refundEvent, refundedPart, refundFault, refundIdOf } from "./refund.ts";
import { countBudgets, countEndUsers, rollUp } from "./rollup.ts";
import { moneyFault, type Name, nameOf, type Outcome, type Write } from "./write.ts";

export function bookAll(loaded: Loaded, writes: Write[]): { outcomes: Outcome[]; changes: Changes } {
  const batch = openBatch(loaded);
  const outcomes = writes.map((write) => book(batch, write));
  const work = alertBalances(batch);
  const { accounts, burned, newGrants, newEvents, newReversals, audited, forgotten, voided } = batch;
  const events = [...newEvents.values()];
  const logs = [...batch.logs.values()];
  const known = loaded.logs.filter((log) => batch.logs.has(nameOf(log)));
  return {
    outcomes,
    changes: {
      accounts: [...accounts.values()],
      burned: [...burned].filter((grant) => !newGrants.includes(grant)),
      grants: newGrants,
      events,
      voided: voided.map(voidEvent),
      reversals: newReversals,
      logs,
      ends: [...batch.ends.values()],
      totals: rollUp({ events, voided, logs, known }),
      budgets: countBudgets({ events, voided }),
      endUsers: countEndUsers({ events, voided, logs, known }),
      alerting: { ...alertingOf({ alerts: loaded.alerts, events, voided }, batch), work },
      audited,
      forgotten,
      replayables: [...batch.savedReplayables.values()],
      abandoned: [...batch.deletedReplayables.values()],
      trimAt: batch.trimAt,
    },
  };
}

type Batch = Logs &
  Replays &
  Settings & {
    /** The sums of each month that is not its account's current one. */
    months: Map<string, MonthSums>;
    /** Live grants by organization. */
    open: Map<string, Grant[]>;
    grants: Map<string, Grant>;
    events: Map<string, UsageEvent>;
    reversals: Map<string, Reversal>;
    burned: Set<Grant>;
    newGrants: Grant[];
    newEvents: Map<string, UsageEvent>;
    /** Before they were voided. */
    voided: UsageEvent[];
    newReversals: Reversal[];
    forgotten: Name[];
    trimAt: number | null;
  };

function openBatch({ accounts, months, events, reversals, logs, ...loaded }: Loaded): Batch {
  const grants = new Map(loaded.grants.map((grant) => [grant.id, grant])); // some are loaded twice
  return {
    accounts: new Map(accounts.map((account) => [account.organizationId, account])),
    months: new Map(months.map(({ organizationId, month, ...sums }) => [`${organizationId} ${month}`, sums])),
    open: Map.groupBy(grants.values(), ({ organizationId }) => organizationId),
    grants,
    events: new Map(events.map((event) => [nameOf(event), event])),
    reversals: new Map(reversals.map((reversal) => [reversal.id, reversal])),
    burned: new Set(),
    newGrants: [],
    newEvents: new Map(),
    voided: [],
    newReversals: [],
    audited: [],
    known: new Map(logs.map((log) => [nameOf(log), log])),
    logs: new Map(),
    ends: new Map(),
    forgotten: [],
    replayables: new Map(loaded.replayables.map((row) => [nameOf(row), row])),
    savedReplayables: new Map(),
    deletedReplayables: new Map(),
    trimAt: null,
  };
}

function book(batch: Batch, write: Write): Outcome {
  const fault = moneyFault(write);
  if (fault !== null) return { error: fault };
  if ("log" in write) {
    noteRequest(batch, write.log, 0);
    return { done: true };
  }
  if ("end" in write) {
    endRequest(batch, write.end);
    return { done: true };
  }
  if ("forget" in write) {
    batch.forgotten.push(...write.forget);
    return { done: true };
  }
  if ("grant" in write) return give(batch, write);
  if ("charge" in write) return charge(batch, write);
  if ("void" in write) {
    voidReplay(batch, write.replayable);
    return takeBack(batch, write.void);
  }
  if ("refund" in write) {
    forgetReplay(batch, write.replayable);
    return refund(batch, write.refund);
  }
  if ("claim" in write) return { claimed: claimReplay(batch, write.claim) };
  if ("reversal" in write) return reverse(batch, write);
  if ("limit" in write) return setLimit(batch, write);
  if ("balanceAlert" in write) return setBalanceAlert(batch, write);
  if ("renew" in write) renewReplay(batch, write.renew);
  else if ("settle" in write) noteCharged(batch, write.settle, write.settle);
  else if ("abandon" in write) abandonReplay(batch, write.abandon);
  else batch.trimAt = write.trim;
  return { done: true };
}

function give(batch: Batch, { grant: input, audit }: Extract<Write, { grant: NewGrant }>): Outcome {
  const { id, organizationId } = input;
  const known = batch.grants.get(id);
  if (known) return { grant: known };
  const { grant, account } = bookGrant(accountIn(batch, organizationId), input);
  batch.accounts.set(organizationId, account);
  batch.open.set(organizationId, [...openIn(batch, organizationId), grant]);
  batch.grants.set(id, grant);
  batch.newGrants.push(grant);
  return { grant: { ...grant }, ...noteAudit(batch, audit) };
}

function charge(
  batch: Batch,
  { charge: input, request, replayable }: Extract<Write, { charge: Charge }>,
): Outcome {
  const { organizationId } = input;
  const known = batch.events.get(nameOf(input));
  if (known) return { event: known };
  if (!Number.isFinite(input.quantity) || input.quantity < 0)
    return { error: `a quantity of ${input.quantity} cannot be charged` };
  if (replayable) noteCharged(batch, replayable, input);
  const { event, account } = bookCharge(
    accountAt(batch, organizationId, monthOf(input.createdAt)),
    openIn(batch, organizationId),
    input,
  );
  batch.accounts.set(organizationId, account);
  noteBurns(batch, event);
  batch.events.set(nameOf(event), event);
  batch.newEvents.set(nameOf(event), event);
  if (request) noteRequest(batch, request, event.costMicros);
  return { event };
}

/**
 * If the charge was never applied, an empty event takes its id, so that it can never be. One that a request applied which
 * took the charge's over stays.
 */
function takeBack(batch: Batch, input: Charge): Outcome {
  const name = nameOf(input);
  const event = batch.events.get(name);
  const isNew = batch.newEvents.has(name);
  if (event && event.costMicros === 0 && event.quantity === 0) return { done: true };
  if (event && event.requestId !== input.requestId) return { done: true };
  if (batch.events.has(nameOf({ ...input, id: refundIdOf(input.id) })))
    return { error: `${input.id} was refunded, and cannot be voided` };
  if (event) {
    giveBack(batch, event);
    if (!isNew) batch.voided.push(event);
  }
  batch.events.set(name, voidEvent(input));
  if (!event || isNew) batch.newEvents.set(name, voidEvent(input));
  return { done: true };
}

function refund(batch: Batch, input: NewRefund): Outcome {
  const { organizationId, chargeId } = input;
  const name = nameOf({ organizationId, id: refundIdOf(chargeId) });
  const known = batch.events.get(name);
  if (known) return { event: known };
  const charge = batch.events.get(nameOf({ organizationId, id: chargeId }));
  const fault = refundFault(charge, input);
  if (!charge || fault !== null) return { error: fault! };
  const part = refundedPart(charge, input);
  giveBack(batch, part);
  const event = refundEvent(part);
  batch.events.set(name, event);
  batch.newEvents.set(name, event);
  return { event };
}

/** Returns what a charge or a part of one took. */
function giveBack(batch: Batch, part: UsageEvent): void {
  const grants = openIn(batch, part.organizationId);
  const account = accountIn(batch, part.organizationId);
  batch.accounts.set(part.organizationId, bookVoid(account, grants, part));
  if (account.month !== part.month) uncount(batch, part);
  for (const grant of grants) batch.burned.add(grant);
  unnote(batch, part);
}

/** Removes a voided charge from the sums of a month that this batch has loaded. */
function uncount({ months }: Batch, event: UsageEvent): void {
  const name = `${event.organizationId} ${event.month}`;
  const before = months.get(name);
  if (!before) return;
  const costMicros = before.costMicros - event.costMicros;
  months.set(name, { costMicros, unmeteredMicros: before.unmeteredMicros - unmeteredOf(event) });
}

function reverse(
  batch: Batch,
  { reversal: input, covered, audit }: Extract<Write, { reversal: NewReversal }>,
): Outcome {
  const { id, organizationId, grantId } = input;
  const known = batch.reversals.get(id);
  if (known) return { reversal: known };
  const taken = batch.grants.get(grantId);
  if (taken?.organizationId !== organizationId) return { error: `${organizationId} has no grant ${grantId}` };
  const others = openIn(batch, organizationId);
  if (input.kind === "correction") {
    const left = correctable(batch, taken);
    const available = covered ? Math.min(left, creditFrom(taken, { others, now: input.createdAt })) : left;
    if (input.amountMicros > available) return { availableMicros: available };
  }
  const grants = { taken, others };
  const { reversal, account } = bookReversal(accountIn(batch, organizationId), grants, input);
  batch.accounts.set(organizationId, account);
  noteBurns(batch, reversal);
  batch.reversals.set(id, reversal);
  batch.newReversals.push(reversal);
  return { reversal, ...noteAudit(batch, audit) };
}

/** What corrections may still take back of a grant: its amount without all that was taken back of it. */
const correctable = ({ reversals }: Batch, { id, amountMicros }: Grant): number =>
  [...reversals.values()]
    .filter(({ grantId }) => grantId === id)
    .reduce((left, { amountMicros: taken }) => Math.max(0, left - taken), amountMicros);

const accountIn = ({ accounts }: Batch, organizationId: string): Account =>
  accounts.get(organizationId) ?? newAccount(organizationId);

const NO_COST: MonthSums = { costMicros: 0, unmeteredMicros: 0 };

/** The account with the sums of that month. */
function accountAt(batch: Batch, organizationId: string, month: number): Account {
  const account = accountIn(batch, organizationId);
  if (account.month === month) return account;
  const { monthMicros: costMicros, monthUnmeteredMicros: unmeteredMicros } = account;
  batch.months.set(`${organizationId} ${account.month}`, { costMicros, unmeteredMicros });
  const sums = batch.months.get(`${organizationId} ${month}`) ?? NO_COST;
  return { ...account, month, monthMicros: sums.costMicros, monthUnmeteredMicros: sums.unmeteredMicros };
}

const openIn = ({ open }: Batch, organizationId: string): Grant[] => open.get(organizationId) ?? [];

function noteBurns({ grants, burned }: Batch, { burns }: Pick<UsageEvent, "burns">): void {
  for (const [id] of burns) burned.add(grants.get(id)!);
}
