/**
 * Narrows down searches of the request log.
 *
 * Ids begin with their time, so a time range is a range of ids; and hourly sums tell which hours have requests that
 * match a filter.
 *
 *   req_ 0mh3k2q9x 17f0c…        9 characters of base-36 milliseconds
 */
import { and, desc, eq, gte, lt, sql } from "drizzle-orm";
import type { Database } from "../database.ts";
import { type Filters, matches, PERIOD_SECONDS } from "./usage-reads.ts";

/** Half-open, in Unix seconds. */
export type Span = { from: number; to: number };

const TIME_AT = "req_".length;
const TIME_LENGTH = 9;
const ID_LENGTH = 28;

/** The longest time between a request's id and its `createdAt`. */
const LATE_SECONDS = 60;

/** A lower bound of the ids created from that second on. */
export const idAt = (unixSeconds: number): string =>
  `req_${(Math.max(0, unixSeconds) * 1000).toString(36).padStart(TIME_LENGTH, "0")}`;

/** An upper bound of the ids with that prefix. */
export const afterAll = (prefix: string): string => `${prefix.padEnd(ID_LENGTH, "z")}z`;

/** When a request of that id began, in milliseconds. */
export const startMsOf = (id: string): number =>
  Number.parseInt(id.slice(TIME_AT, TIME_AT + TIME_LENGTH), 36);

/** The time range of requests whose ids have a prefix. */
export function openedWith(prefix: string): Span {
  const digits = prefix.slice(TIME_AT, TIME_AT + TIME_LENGTH);
  const second = (filler: string) =>
    Math.floor(Number.parseInt(digits.padEnd(TIME_LENGTH, filler), 36) / 1000);
  return { from: second("0"), to: second("z") + 1 + LATE_SECONDS };
}

/** The time range of the ids of requests in a time range. */
export const madeFor = ({ from, to }: Span): Span => ({ from: from - LATE_SECONDS, to });

export const overlap = (spans: Span[]): Span => ({
  from: Math.max(...spans.map(({ from }) => from)),
  to: Math.min(...spans.map(({ to }) => to)),
});

/** The time ranges of the ids of requests in these hours, newest first, with adjacent hours merged. */
export function madeForHours(hours: number[]): Span[] {
  const spans: Span[] = [];
  for (const from of hours) {
    const span = madeFor({ from, to: from + PERIOD_SECONDS.hour });
    const newer = spans.at(-1);
    if (newer && newer.from <= span.to) newer.from = span.from;
    else spans.push(span);
  }
  return spans;
}

type Hour = { start: number; count: number };

type HoursQuery = {
  organizationId: string;
  filters: Filters;
  /** The time range of the requests. */
  span: Span;
  /** Only hours with successful requests. */
  succeeded: boolean;
};

const FIRST_SECONDS = 86_400;

/** Hours with matching requests and their number, newest first. Reads more hours at once the further it goes back. */
export function openHours({ query, tables: { requestLog, usageTotal } }: Database) {
  const { requests, errors, start } = usageTotal;

  async function logged(organizationId: string): Promise<Span | null> {
    const { id } = requestLog;
    const ids = () =>
      query.select({ id }).from(requestLog).where(eq(requestLog.organizationId, organizationId)).limit(1);
    const [[oldest], [newest]] = await Promise.all([ids().orderBy(id), ids().orderBy(desc(id))]);
    if (!oldest || !newest) return null;
    return { from: openedWith(oldest.id).from, to: openedWith(newest.id).to };
  }

  const hoursIn = async ({ organizationId, filters, succeeded }: HoursQuery, { from, to }: Span) => {
    const count = sql<number>`sum(${succeeded ? sql`${requests} - ${errors}` : requests})`.mapWith(Number);
    const counted = and(
      eq(usageTotal.organizationId, organizationId),
      eq(usageTotal.period, "hour"),
      gte(start, from - (from % PERIOD_SECONDS.hour)),
      lt(start, to),
      ...matches(usageTotal, filters),
    );
    const rows = await query.select({ start, count }).from(usageTotal).where(counted).groupBy(start);
    return rows.filter(({ count }) => count > 0).sort((a, b) => b.start - a.start);
  };

  return async function* hoursOf(hoursQuery: HoursQuery): AsyncGenerator<Hour> {
    const all = await logged(hoursQuery.organizationId);
    if (!all) return;
    const { from, to } = overlap([all, hoursQuery.span]);
    let seconds = FIRST_SECONDS;
    for (let until = Math.ceil(to / PERIOD_SECONDS.hour) * PERIOD_SECONDS.hour; until > from; ) {
      const since = Math.max(from, until - seconds);
      yield* await hoursIn(hoursQuery, { from: since, to: until });
      until = since;
      seconds *= 4;
    }
  };
}
