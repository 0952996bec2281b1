/**
 * What became of the credit of organizations in a month: what they had, bought, were given, used and lost, and what they have.
 * Pure; money is micros.
 *
 *   closing = opening + bought or given − used − paid off − refunded − corrected − expired      of credit, bought and given apart
 *   closing = opening + used + refunded + corrected − paid off                                  of overdraft
 *
 * Rows hold what is stored now and what moved since the month began, so that the past is counted backwards from now. Refunds and
 * voids of charges count when their charge did.
 */
import { type Amounts, STATEMENT_FIELDS, type StatementField } from "../statement-fields.ts";
import type { StatementRow } from "./statement-rows.ts";

/** Times in Unix seconds: from the first until just before the second. */
export type Span = { from: number; to: number };

export type Statement = Amounts & { organizationId: string };

/** Of all organizations of which there is anything to say. */
export function statementsOf(rows: StatementRow[], span: Span): Statement[] {
  const byOwner = Map.groupBy(rows, ({ organizationId }) => organizationId);
  return [...byOwner]
    .map(([organizationId, own]) => ({ organizationId, ...amountsOf(own, span) }))
    .filter((statement) => STATEMENT_FIELDS.some((field) => statement[field] !== 0))
    .toSorted((one, other) => (one.organizationId < other.organizationId ? -1 : 1));
}

export const totalOf = (all: Amounts[]): Amounts =>
  amountsBy((field) => all.reduce((sum, amounts) => sum + amounts[field], 0));

const amountsBy = (of: (field: StatementField) => number): Amounts =>
  Object.fromEntries(STATEMENT_FIELDS.map((field) => [field, of(field)])) as Amounts;

type MicrosOf = { [Field in StatementField as `${Field}_micros`]: number };

/** As programs read them. */
export const microsOf = (amounts: Amounts): MicrosOf =>
  Object.fromEntries(STATEMENT_FIELDS.map((field) => [`${field}_micros`, amounts[field]])) as MicrosOf;

type Kind = "bought" | "given";

function amountsOf(rows: StatementRow[], { from, to }: Span): Amounts {
  const amounts = amountsBy(() => 0);
  const grants = rows.filter(({ row }) => row === "grant");
  const account = rows.find(({ row }) => row === "account") ?? NOTHING_OWED;
  amounts.tax = rows.find(({ row }) => row === "tax")?.amountMicros ?? 0;
  for (const part of PARTS) amounts[`${part}_overdraft`] = account[`${part}Micros`];
  const opening = stateAt(grants, account, { time: from, isEnd: false });
  const closing = stateAt(grants, account, { time: to, isEnd: true });
  amounts.opening_overdraft = opening.overdraft;
  amounts.closing_overdraft = closing.overdraft;
  for (const [index, grant] of grants.entries()) {
    const kind: Kind = grant.kind === "purchase" ? "bought" : "given";
    const [before, after] = [opening.grants[index]!, closing.grants[index]!];
    amounts[`opening_${kind}`] += before.left;
    amounts[`closing_${kind}`] += after.left;
    amounts[`expired_${kind}`] += after.expired - before.expired;
    amounts[`paid_off_${kind}`] += after.settled - before.settled;
    amounts[kind] += grant.createdAt >= from && grant.createdAt < to ? grant.amountMicros : 0;
    for (const part of PARTS) amounts[`${part}_${kind}`] += grant[`${part}Micros`];
  }
  return amounts;
}

const PARTS = ["used", "refunded", "corrected"] as const;

const NOTHING_OWED = {
  ...{ remainingMicros: 0, usedMicros: 0, refundedMicros: 0, correctedMicros: 0, laterMicros: 0 },
};

/** What moved in the month, before its end. */
const movedIn = (row: Moved): number => row.usedMicros + row.refundedMicros + row.correctedMicros;

type Moved = Pick<
  StatementRow,
  "remainingMicros" | "usedMicros" | "refundedMicros" | "correctedMicros" | "laterMicros"
>;

/** `isEnd`: the end of the month rather than its begin. */
type Moment = { time: number; isEnd: boolean };

/** What each grant had paid of overdraft, what is left of it, and what was lost when it expired; and what was owed. */
function stateAt(grants: StatementRow[], account: Moved, { time, isEnd }: Moment) {
  const since = (row: Moved) => row.laterMicros + (isEnd ? 0 : movedIn(row));
  const settledEver = grants.reduce((sum, { settledMicros }) => sum + settledMicros, 0);
  const uncovered = account.remainingMicros + settledEver - since(account);
  const settled = settledAt(grants, uncovered, time);
  return {
    overdraft: uncovered - settled.reduce((sum, micros) => sum + micros, 0),
    grants: grants.map((grant, index) => {
      const { amountMicros, settledMicros, remainingMicros, createdAt, expiresAt } = grant;
      const moved = amountMicros - settledMicros - remainingMicros - since(grant);
      const granted = createdAt < time ? amountMicros - settled[index]! : 0;
      const left = granted - moved;
      const isExpired = expiresAt !== null && expiresAt < time;
      return { settled: settled[index]!, left: isExpired ? 0 : left, expired: isExpired ? left : 0 };
    }),
  };
}

/**
 * What grants had paid of overdraft by then: never more than was owed. A grant pays when it is granted, and later only what credit that
 * came back to it paid: of those the newest paid last.
 */
function settledAt(grants: StatementRow[], uncovered: number, time: number): number[] {
  const settled = grants.map(({ createdAt, settledMicros }) => (createdAt < time ? settledMicros : 0));
  let excess = settled.reduce((sum, micros) => sum + micros, 0) - uncovered;
  const newest = grants
    .map((_, index) => index)
    .toSorted((a, b) => grants[b]!.createdAt - grants[a]!.createdAt);
  for (const index of newest) {
    const late = Math.min(Math.max(0, excess), settled[index]!);
    settled[index]! -= late;
    excess -= late;
  }
  return settled;
}

/** The month of a time, as people write it. */
export const monthText = (time: number): string => new Date(time * 1000).toISOString().slice(0, 7);

/** What a month must be, as the end of a sentence. */
export const MONTH_RULE = "must be a month that has begun, such as 2026-11";

/** A month such as 2026-11, as 202611; null: it is none, or is yet to come. */
export function monthIn(text: string, now: number): number | null {
  if (!/^20\d\d-(0[1-9]|1[0-2])$/.test(text)) return null;
  const [year, month] = text.split("-").map(Number) as [number, number];
  return Date.UTC(year, month - 1) / 1000 <= now ? year * 100 + month : null;
}
