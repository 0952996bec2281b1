/** Reads what was granted and what expires within a time, page by page: for events that no transaction of accounts raises. */
import { and, asc, desc, eq, gt, gte, isNull, lte, ne } from "drizzle-orm";
import type { Database } from "../database.ts";

/** Unix seconds: after the first, up to the second. */
type Span = { after: number; until: number };

const PAGE = 500;
const LEAST_MICROS = 1_000_000;

export function openUpcomingRows({ query, tables }: Database) {
  const { creditGrant, apiKey, project } = tables;
  return {
    /** Grants without a payment. */
    granted: ({ after, until }: Span) =>
      paged((last) =>
        query
          .select()
          .from(creditGrant)
          .where(
            and(
              gt(creditGrant.createdAt, after),
              lte(creditGrant.createdAt, until),
              ne(creditGrant.kind, "purchase"),
              gt(creditGrant.id, last),
            ),
          )
          .orderBy(asc(creditGrant.id))
          .limit(PAGE),
      ),
    /** Grants of which a dollar or more is left. */
    expiringGrants: ({ after, until }: Span) =>
      paged((last) =>
        query
          .select()
          .from(creditGrant)
          .where(
            and(
              gt(creditGrant.expiresAt, after),
              lte(creditGrant.expiresAt, until),
              gte(creditGrant.remainingMicros, LEAST_MICROS),
              gt(creditGrant.id, last),
            ),
          )
          .orderBy(asc(creditGrant.id))
          .limit(PAGE),
      ),
    expiringKeys: ({ after, until }: Span) =>
      paged(async (last) =>
        query
          .select({
            id: apiKey.id,
            organizationId: apiKey.organizationId,
            projectId: apiKey.projectId,
            expiresAt: apiKey.expiresAt,
          })
          .from(apiKey)
          .innerJoin(project, eq(project.id, apiKey.projectId))
          .where(
            and(
              gt(apiKey.expiresAt, after),
              lte(apiKey.expiresAt, until),
              isNull(apiKey.revokedAt),
              isNull(project.archivedAt),
              gt(apiKey.id, last),
            ),
          )
          .orderBy(asc(apiKey.id))
          .limit(PAGE),
      ),
  };
}

/** Prices that begin later than a time, and the organizations that will pay them. */
export function openPriceReads({ query, tables: { price, organization } }: Database) {
  return {
    after: async (time: number) => query.select().from(price).where(gt(price.validFrom, time)),
    prepaid: () =>
      paged((last) =>
        query
          .select()
          .from(organization)
          .where(
            and(
              eq(organization.plan, "prepaid"),
              ne(organization.status, "deleted"),
              gt(organization.id, last),
            ),
          )
          .orderBy(asc(organization.id))
          .limit(PAGE),
      ),
  };
}

/** The credit that an organization was given last; null: none. */
export async function newestGrant({ query, tables: { creditGrant } }: Database, organizationId: string) {
  const [grant] = await query
    .select({ id: creditGrant.id, createdAt: creditGrant.createdAt })
    .from(creditGrant)
    .where(eq(creditGrant.organizationId, organizationId))
    .orderBy(desc(creditGrant.createdAt), desc(creditGrant.id))
    .limit(1);
  return grant ?? null;
}

async function* paged<Row extends { id: string }>(
  read: (after: string) => PromiseLike<Row[]>,
): AsyncGenerator<Row> {
  for (let last = ""; ; ) {
    const rows = await read(last);
    yield* rows;
    if (rows.length < PAGE) return;
    last = rows.at(-1)!.id;
  }
}
