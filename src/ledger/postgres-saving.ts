/** The statements that save the changes of a batch in PostgreSQL. */
import { getTableColumns, type Table } from "drizzle-orm";
import type { Statement } from "../db/open-postgres.ts";
import { columnsOf, rows } from "../db/postgres/json-rows.ts";
import {
  auditEvent,
  budgetPeriod,
  creditAccount,
  creditGrant,
  creditReversal,
  endUserDay,
  replayableRequest,
  requestLog,
  usageEvent,
  usageTotal,
} from "../db/postgres/tables.ts";
import type { Changes } from "./booking/changes.ts";
import { REPLAYABLES_MAX } from "./booking/replay.ts";
import { END_USERS_MAX, OTHER_END_USERS } from "./booking/rollup.ts";

/** One statement for the changes of most batches. Answers what is counted then of the budgets that they add to. */
export const save = (changes: Changes): Statement =>
  changes.budgets.length === 0
    ? { name: "ledger_save", text: `${SAVE} select`, values: savedRows(changes) }
    : {
        name: "ledger_save_budgets",
        text: `${SAVE}, ${COUNT_BUDGETS}`,
        values: [...savedRows(changes), rows(budgetPeriod, changes.budgets)],
      };

const savedRows = (changes: Changes) => [
  rows(creditAccount, changes.accounts),
  rows(creditGrant, changes.burned),
  rows(creditGrant, changes.grants),
  rows(usageEvent, changes.events),
  rows(requestLog, changes.logs),
  rows(usageTotal, changes.totals),
  rows(requestLog, changes.ends),
];

/** A name that its day has no place for is counted as another's. Their accounts are locked, so that nodes take turns. */
const countEndUsers = (endUsers: Changes["endUsers"]): Statement => ({
  name: "ledger_end_users",
  text: `with added as (select * from json_populate_recordset(null::end_user_day, $1)),
    placed as (select added.*, known.end_user is not null as is_known,
        row_number() over (partition by added.organization_id, added.day, known.end_user is null
            order by added.end_user) + case when known.end_user is null then (select count(*) from end_user_day as counted
          where counted.organization_id = added.organization_id and counted.day = added.day) else 0 end as place
      from added left join end_user_day as known on known.organization_id = added.organization_id
        and known.day = added.day and known.end_user = added.end_user)
    insert into end_user_day (organization_id, day, end_user, ${END_USER_SUMS.join(", ")})
    select organization_id, day, case when is_known or place <= ${END_USERS_MAX} then end_user
        else '${OTHER_END_USERS}' end as name, ${END_USER_SUMS.map((name) => `sum(${name})`).join(", ")}
      from placed group by organization_id, day, name
    on conflict (organization_id, day, end_user) do update set
      ${END_USER_SUMS.map((name) => `${name} = end_user_day.${name} + excluded.${name}`).join(", ")}`,
  values: [rows(endUserDay, endUsers)],
});

export function saveRarely({
  reversals,
  audited,
  voided,
  forgotten,
  endUsers,
  ...changes
}: Changes): Statement[] {
  const reverse = {
    name: "ledger_reverse",
    text: "insert into credit_reversal select * from json_populate_recordset(null::credit_reversal, $1)",
    values: [rows(creditReversal, reversals)],
  };
  const audit = {
    name: "ledger_audit",
    text: `insert into audit_event select * from json_populate_recordset(null::audit_event, $1)
      on conflict do nothing`,
    values: [rows(auditEvent, audited)],
  };
  const forget = {
    name: "ledger_forget",
    text: `delete from request_log
      where (organization_id, id) in (select * from unnest($1::text[], $2::text[]))`,
    values: columnsOf(forgotten),
  };
  const takeBack = {
    name: "ledger_void",
    text: `update usage_event set quantity = 0, cost_micros = 0, overdraft_micros = 0, burns = '[]'
      where (organization_id, id) in (select * from unnest($1::text[], $2::text[]))`,
    values: columnsOf(voided.map(({ organizationId, id }) => [organizationId, id])),
  };
  return [
    ...(endUsers.length > 0 ? [countEndUsers(endUsers)] : []),
    ...(reversals.length > 0 ? [reverse] : []),
    ...(audited.length > 0 ? [audit] : []),
    ...(voided.length > 0 ? [takeBack] : []),
    ...(forgotten.length > 0 ? [forget] : []),
    ...saveReplays(changes),
  ];
}

type ReplayChanges = Pick<Changes, "replayables" | "abandoned" | "trimAt">;

/** Each row that is stored deletes up to two that have expired. Those that another node is changing are left to it. */
function saveReplays({ replayables, abandoned, trimAt }: ReplayChanges): Statement[] {
  const put = {
    name: "ledger_replayable",
    text: `insert into replayable_request select * from json_populate_recordset(null::replayable_request, $1)
      on conflict (organization_id, id) do update set ${ASSIGN_REPLAYABLE}`,
    values: [rows(replayableRequest, replayables)],
  };
  const expire = {
    name: "ledger_expire_replayables",
    text: `delete from replayable_request where (organization_id, id) in (select organization_id, id
      from replayable_request where expires_at <= $1 order by expires_at limit $2 for update skip locked)`,
    values: [Math.max(...replayables.map(({ createdAt }) => createdAt)), 2 * replayables.length],
  };
  const remove = {
    name: "ledger_abandon",
    text: `delete from replayable_request
      where (organization_id, id) in (select * from unnest($1::text[], $2::text[]))`,
    values: columnsOf(abandoned),
  };
  const trim = {
    name: "ledger_trim_replayables",
    text: `delete from replayable_request where (organization_id, id) in (select organization_id, id
      from replayable_request where expires_at <= $1 or (organization_id, id) in (select organization_id, id
        from (select organization_id, id, row_number() over (
          partition by organization_id order by created_at desc, id) as place from replayable_request) as placed
        where place > ${REPLAYABLES_MAX}) for update skip locked)`,
    values: [trimAt],
  };
  return [
    ...(replayables.length > 0 ? [put, expire] : []),
    ...(abandoned.length > 0 ? [remove] : []),
    ...(trimAt !== null ? [trim] : []),
  ];
}

const assign = (table: Table, from: string): string =>
  Object.values(getTableColumns(table))
    .map(({ name }) => `${name} = ${from}.${name}`)
    .join(", ");
const ASSIGN_ACCOUNT = assign(creditAccount, "changed");
const ASSIGN_LOG = assign(requestLog, "excluded");
const ASSIGN_REPLAYABLE = assign(replayableRequest, "excluded");
const SUMS = [
  ...["requests", "errors", "abandoned", "characters", "audio_seconds", "tokens"],
  ...["cost_micros", "unmetered_micros"],
];
const END_USER_SUMS = ["requests", "errors", "characters", "audio_seconds", "tokens", "cost_micros"];
/** A node of an older version writes null into what it does not know. */
const ADD_TOTAL = SUMS.map((name) => `${name} = coalesce(usage_total.${name}, 0) + excluded.${name}`).join(
  ", ",
);
const KEY_OF_TOTAL = Object.values(getTableColumns(usageTotal))
  .map(({ name }) => name)
  .filter((name) => !SUMS.includes(name))
  .join(", ");

const SAVE = `with
    account as (update credit_account set ${ASSIGN_ACCOUNT}
      from json_populate_recordset(null::credit_account, $1) as changed
      where credit_account.organization_id = changed.organization_id),
    burned as (update credit_grant
      set remaining_micros = changed.remaining_micros, settled_micros = changed.settled_micros
      from json_populate_recordset(null::credit_grant, $2) as changed where credit_grant.id = changed.id),
    granted as (insert into credit_grant select * from json_populate_recordset(null::credit_grant, $3)),
    used as (insert into usage_event select * from json_populate_recordset(null::usage_event, $4)),
    logged as (insert into request_log select * from json_populate_recordset(null::request_log, $5)
      on conflict (organization_id, id) do update set ${ASSIGN_LOG}),
    ended as (update request_log
      set duration_ms = had.duration_ms, first_byte_ms = had.first_byte_ms, audio_seconds = had.audio_seconds,
        final_text_ms = had.final_text_ms
      from json_populate_recordset(null::request_log, $7) as had
      where request_log.organization_id = had.organization_id and request_log.id = had.id),
    totalled as (insert into usage_total select * from json_populate_recordset(null::usage_total, $6)
      on conflict (${KEY_OF_TOTAL}) do update set ${ADD_TOTAL})`;

const COUNT_BUDGETS = `counted as (
      insert into budget_period select * from json_populate_recordset(null::budget_period, $8)
      on conflict (organization_id, subject, start) do update set micros = budget_period.micros + excluded.micros
      returning organization_id as "organizationId", subject, start::double precision, micros::double precision)
    select * from counted`;
