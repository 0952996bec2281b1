/**
 * Reads of the request log, newest first, with payments: one set of queries for both databases.
 *
 * The log has its primary key, and indexes of requests whose status is not 200, that name an end user, and that have a label.
 * For any other filter, hourly sums tell which hours have matches, and only those are read, until the page is full:
 *
 *   filters ──hoursOf──> 17:00 (40), 16:00 (2), 09:00 (31) … ──madeForHours──> ids of 15:59 to 18:00, 08:59 to 10:00
 */
import { and, desc, eq, gt, gte, inArray, lt, lte, min, type SQL, sql } from "drizzle-orm";
import type { Database, Tables } from "../database.ts";
import { openPayments, type Payment } from "./payment-reads.ts";
import {
  afterAll,
  idAt,
  madeFor,
  madeForHours,
  openedWith,
  openHours,
  overlap,
  type Span,
} from "./request-hours.ts";
import { type Filters, matches } from "./usage-reads.ts";

type RequestLog = Tables["requestLog"]["$inferSelect"];

export type RequestRow = RequestLog & { payment: Payment };

/** Times in Unix seconds, half-open. `status`: one or a class, as 200 or 4xx. `before`: the id of the last row seen. */
export type RequestQuery = {
  organizationId: string;
  start: number | null;
  end: number | null;
  filters: Filters;
  /** As it is stored. */
  endUser: string | null;
  label: string | null;
  language: string | null;
  status: string | null;
  errorCode: string | null;
  idPrefix: string | null;
  before: string | null;
  limit: number;
};

const EVER: Span = { from: 0, to: Number.MAX_SAFE_INTEGER };
const FEW = 1000;
const SPANS_AT_ONCE = 32;
const NAMES_AT_ONCE = 256;

/** Rows by the primary key and the indexes alone. */
function openRows({ query, tables }: Database) {
  const { requestLog } = tables;
  const { id } = requestLog;

  const newest = async (where: SQL | undefined, limit: number): Promise<RequestLog[]> =>
    query.select().from(requestLog).where(where).orderBy(desc(id)).limit(limit);

  /** Errors, from the index alone. */
  const indexed = (asked: RequestQuery, made: Span) =>
    query
      .select({ id })
      .from(requestLog)
      .where(and(...keysOf(tables, asked, made), isNot200(tables), ...outcomeOf(tables, asked)));

  /** Rows whose ids are in a time range. */
  function newestIn(asked: RequestQuery, made: Span): Promise<RequestLog[]> {
    const condition = isIndexed(asked) ? inArray(id, indexed(asked, made)) : and(...outcomeOf(tables, asked));
    return newest(and(...keysOf(tables, asked, made), condition, ...restOf(tables, asked)), asked.limit);
  }

  /** Whether the primary key or an index narrows the search enough to scan. */
  async function isNear(asked: RequestQuery): Promise<boolean> {
    if (asked.endUser !== null || asked.label !== null) return true;
    if (Object.keys(asked.filters).length === 0) return !isOf200(asked);
    return isIndexed(asked) && (await indexed(asked, EVER).limit(FEW + 1)).length <= FEW;
  }

  return { newest, newestIn, isNear };
}

type Rows = Pick<ReturnType<typeof openRows>, "newestIn"> & { hoursOf: ReturnType<typeof openHours> };

export function openRequestReads(database: Database) {
  const { query, tables } = database;
  const { requestLog } = tables;
  const { organizationId, id, status } = requestLog;
  const { newest, newestIn, isNear } = openRows(database);
  const { paid } = openPayments(database);
  const hoursOf = openHours(database);

  return {
    requests: (owner: string, limit: number) => newest(eq(organizationId, owner), limit),
    async requestPage(asked: RequestQuery): Promise<RequestRow[]> {
      return paid(
        await ((await isNear(asked)) ? newestIn(asked, EVER) : byHours({ newestIn, hoursOf }, asked)),
      );
    },
    async request(owner: string, named: string): Promise<RequestRow | null> {
      const rows = await newest(and(eq(organizationId, owner), eq(id, named)), 1);
      return (await paid(rows))[0] ?? null;
    },
    async recentErrors(limit: number): Promise<RequestRow[]> {
      const failed = query
        .select({ organizationId, id })
        .from(requestLog)
        .where(and(gte(status, 500), isNot200(tables)))
        .orderBy(desc(id))
        .limit(limit);
      return paid(await newest(sql`(${organizationId}, ${id}) in ${failed}`, limit));
    },
    /** Keys of requests from before the time of their organization, in chunks. */
    async *oldRequests(beforeOf: (organizationId: string) => number) {
      for await (const owner of owners(database)) yield* oldOf(database, owner, beforeOf(owner));
    },
  };
}

/** Hour by hour, in growing steps while nothing matches. */
async function byHours({ newestIn, hoursOf }: Rows, asked: RequestQuery): Promise<RequestLog[]> {
  const rows: RequestLog[] = [];
  let hours: number[] = [];
  let expected = 0;
  let enough = asked.limit;
  let read = EVER.to; // everything after this has been read
  const readHours = async () => {
    const spans = madeForHours(hours).map((span) => overlap([span, { ...EVER, to: read }]));
    const batches = await Promise.all(spans.map((span) => newestIn(asked, span)));
    rows.push(...batches.flat());
    read = spans.at(-1)?.from ?? read;
    [hours, expected, enough] = [[], 0, enough * 4];
  };
  const { organizationId, filters } = asked;
  for await (const { start, count } of hoursOf({
    organizationId,
    filters,
    span: openedBy(asked),
    succeeded: isOf200(asked),
  })) {
    hours.push(start);
    expected += count;
    if (expected >= enough || madeForHours(hours).length === SPANS_AT_ONCE) await readHours();
    if (rows.length >= asked.limit) break;
  }
  if (rows.length < asked.limit) await readHours();
  return rows.slice(0, asked.limit);
}

/** The filters on ids as a single range, because SQLite uses one bound at each end. */
function keysOf({ requestLog: { id, organizationId } }: Tables, asked: RequestQuery, made: Span): SQL[] {
  const { start, end, idPrefix, before } = asked;
  const from = [
    idAt(made.from),
    ...(start === null ? [] : [idAt(madeFor({ ...EVER, from: start }).from)]),
    ...(idPrefix === null ? [] : [idPrefix]),
  ];
  const to = [
    ...(made.to === EVER.to ? [] : [idAt(made.to)]),
    ...(end === null ? [] : [idAt(end)]),
    ...(idPrefix === null ? [] : [afterAll(idPrefix)]),
    ...(before === null ? [] : [before]),
  ];
  const until = to.sort()[0];
  return [
    eq(organizationId, asked.organizationId),
    gte(id, from.sort().at(-1)!),
    ...(until === undefined ? [] : [lt(id, until)]),
  ];
}

/** The filter on the outcome; if it excludes 200, in the index's own words. */
function outcomeOf({ requestLog }: Tables, { status, errorCode }: RequestQuery): SQL[] {
  const bound = (digit: string) => Number(status?.replaceAll("x", digit));
  return [
    ...(status === null ? [] : [gte(requestLog.status, bound("0")), lte(requestLog.status, bound("9"))]),
    ...(errorCode === null ? [] : [eq(requestLog.errorCode, errorCode)]),
  ];
}

function restOf(
  { requestLog }: Tables,
  { start, end, filters, endUser, label, language }: RequestQuery,
): SQL[] {
  return [
    ...(endUser === null ? [] : [eq(requestLog.endUser, endUser)]),
    ...(label === null ? [] : [eq(requestLog.label, label)]),
    ...(language === null ? [] : [eq(requestLog.language, language)]),
    ...(start === null ? [] : [gte(requestLog.createdAt, start)]),
    ...(end === null ? [] : [lt(requestLog.createdAt, end)]),
    ...matches(requestLog, filters),
  ];
}

/** The time range of the query. */
const openedBy = ({ start, end, idPrefix, before }: RequestQuery): Span =>
  overlap([
    { from: start ?? EVER.from, to: end ?? EVER.to },
    idPrefix === null ? EVER : openedWith(idPrefix),
    before === null ? EVER : { ...EVER, to: openedWith(before).to },
  ]);

const isOf200 = ({ status }: RequestQuery): boolean => status === "200" || status === "2xx";

const isIndexed = (asked: RequestQuery): boolean =>
  asked.errorCode !== null || (asked.status !== null && !isOf200(asked));

/** Must match the index's condition exactly for the index to be used. */
const isNot200 = ({ requestLog }: Tables): SQL => sql`${requestLog.status} <> 200`;

/** The organizations with requests, by one index lookup each. */
async function* owners({ query, tables: { requestLog } }: Database): AsyncGenerator<string> {
  const { organizationId } = requestLog;
  for (let last = ""; ; ) {
    const next = query
      .select({ owner: min(organizationId) })
      .from(requestLog)
      .where(gt(organizationId, last));
    const owner = (await next)[0]?.owner;
    if (!owner) return;
    yield owner;
    last = owner;
  }
}

async function* oldOf({ query, tables: { requestLog } }: Database, owner: string, before: number) {
  const { organizationId, id, createdAt } = requestLog;
  const old = [eq(organizationId, owner), lt(id, idAt(before)), lt(createdAt, before)];
  for (let last = ""; ; ) {
    const rows = await query
      .select({ id })
      .from(requestLog)
      .where(and(gt(id, last), ...old))
      .orderBy(id)
      .limit(NAMES_AT_ONCE);
    if (rows.length === 0) return;
    yield rows.map(({ id }): [string, string] => [owner, id]);
    last = rows.at(-1)!.id;
  }
}
