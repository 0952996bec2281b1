/**
 * What the statements of a month are made of: every grant and account as it is now, with what moved in the month and after it. One
 * statement of SQL, so that all rows are of one moment.
 */
import { type SQL, sql } from "drizzle-orm";
import type { Database } from "../db/database.ts";
import { DIALECTS } from "./audit.ts";

/**
 * `row`: a grant; an account, whose `remainingMicros` is its overdraft; or the tax of the month's payments, as `amountMicros`. `later`:
 * after the month.
 */
export type StatementRow = {
  row: "grant" | "account" | "tax";
  organizationId: string;
  kind: string | null;
  amountMicros: number;
  settledMicros: number;
  remainingMicros: number;
  createdAt: number;
  expiresAt: number | null;
  usedMicros: number;
  refundedMicros: number;
  correctedMicros: number;
  laterMicros: number;
};

/** In Unix seconds. */
type Months = { from: number; to: number };

export function openStatementRows({ query }: Pick<Database, "query">, dialect: keyof typeof DIALECTS) {
  return async (months: Months): Promise<StatementRow[]> => {
    const number = (name: string) => sql<number>`${sql.raw(`listed.${name}`)}`.mapWith(Number);
    return query
      .select({
        row: sql<StatementRow["row"]>`listed.what`,
        organizationId: sql<string>`listed.organization_id`,
        kind: sql<string | null>`listed.kind`,
        amountMicros: number("amount"),
        settledMicros: number("settled"),
        remainingMicros: number("remaining"),
        createdAt: number("created_at"),
        expiresAt: sql<number | null>`listed.expires_at`.mapWith(Number),
        usedMicros: number("used"),
        refundedMicros: number("refunded"),
        correctedMicros: number("corrected"),
        laterMicros: number("later"),
      })
      .from(listed(months, dialect));
  };
}

const SUMS = sql.raw(`
  sum(case when why = 'used' then micros else 0 end) as used,
  sum(case when why = 'refunded' then micros else 0 end) as refunded,
  sum(case when why = 'corrected' then micros else 0 end) as corrected,
  sum(case when why = 'later' then micros else 0 end) as later`);
const MOVED = sql.raw(`
  coalesce(used, 0) as used, coalesce(refunded, 0) as refunded, coalesce(corrected, 0) as corrected, coalesce(later, 0) as later`);

/** What is read of the charges, most of the rows, is read once: a charge without burns has one row, and its overdraft is in its first. */
function listed({ from, to }: Months, dialect: keyof typeof DIALECTS): SQL {
  const { each, isFirst, grant, micros } = DIALECTS[dialect];
  return sql`(with paid as (
      select organization_id, overdraft_micros as overdraft, burns,
        case when created_at >= ${to} then 'later' else 'used' end as why
      from usage_event where created_at >= ${from}
      union all
      select organization_id, overdraft_micros, burns,
        case when created_at >= ${to} then 'later' when kind = 'correction' then 'corrected' else 'refunded' end
      from credit_reversal where created_at >= ${from}
    ), moved as (
      select organization_id, grant_id, why, sum(micros) as micros, sum(owed) as owed
      from (select organization_id, why, ${grant} as grant_id, ${micros} as micros,
          case when ${isFirst} then paid.overdraft else 0 end as owed
        from paid left join ${each} on true) as one
      group by organization_id, grant_id, why
    ), owed as (
      select organization_id, ${SUMS} from (select organization_id, why, owed as micros from moved) as one
      group by organization_id
    ), burned as (
      select grant_id, ${SUMS} from moved where grant_id is not null group by grant_id
    )
    select 'grant' as what, organization_id, kind, amount_micros as amount, settled_micros as settled,
      remaining_micros as remaining, created_at, expires_at, ${MOVED}
    from credit_grant left join burned on burned.grant_id = credit_grant.id
    union all
    select 'account', credit_account.organization_id, null, 0, 0, overdraft_micros, 0, null, ${MOVED}
    from credit_account left join owed on owed.organization_id = credit_account.organization_id
    union all
    select 'tax', organization_id, null, sum(tax_micros), 0, 0, 0, null, 0, 0, 0, 0
    from top_up where status = 'succeeded' and settled_at >= ${from} and settled_at < ${to} group by organization_id
  ) as listed`;
}
