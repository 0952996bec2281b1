/** The statements of PostgreSQL that count what alerts watch, and let them go off: after the sums and budgets of their batch. */
import type { Statement } from "../db/open-postgres.ts";
import type { NewWork } from "../db/queries/work-rows.ts";
import type { Candidate, SpendCount } from "./booking/alerting.ts";
import type { Changes } from "./booking/changes.ts";

export const saveAlerts = ({
  alerting: { counts, candidates, work },
}: Pick<Changes, "alerting">): Statement[] => [
  ...(counts.length > 0 ? [count(counts)] : []),
  ...(candidates.length > 0 ? [fire(candidates)] : []),
  ...(work.length > 0 ? [add(work)] : []),
];

/** A count that is not there yet begins with the sums of the month's days, which have this batch already. */
const count = (counts: SpendCount[]): Statement => ({
  name: "ledger_spend",
  text: `insert into spend_count (organization_id, subject, start, micros)
    select moved.organization_id, moved.subject, moved.start,
      case when known.subject is not null then moved.micros else coalesce((select sum(cost_micros) from usage_total as day
        where day.organization_id = moved.organization_id and day.period = 'day'
          and day.start >= moved.start and day.start < moved.end_at
          and case moved.scope when 'key' then day.key_id else day.project_id end = moved.subject), 0)::bigint end
    from json_to_recordset($1) as moved(organization_id text, subject text, scope text, start bigint, end_at bigint,
      micros bigint, is_watched boolean)
    left join spend_count as known on known.organization_id = moved.organization_id
      and known.subject = moved.subject and known.start = moved.start
    where moved.is_watched or known.subject is not null
    on conflict (organization_id, subject, start) do update set micros = spend_count.micros + excluded.micros`,
  values: [
    JSON.stringify(
      counts.map(({ organizationId, subject, scope, start, end, micros, isWatched }) => ({
        ...{ organization_id: organizationId, subject, scope, start, end_at: end, micros },
        is_watched: isWatched,
      })),
    ),
  ],
});

const add = (work: NewWork[]): Statement => ({
  name: "ledger_work",
  text: `insert into work (id, kind, due_ms, payload)
    select * from json_to_recordset($1) as made(id text, kind text, due_ms bigint, payload text) on conflict do nothing`,
  values: [
    JSON.stringify(work.map(({ id, kind, dueMs, payload }) => ({ id, kind, due_ms: dueMs, payload }))),
  ],
});

const fire = (candidates: Candidate[]): Statement => ({
  name: "ledger_alerts",
  text: `with asked as (select * from json_to_recordset($1) as asked(organization_id text, alert_id text, counted text,
      subject text, start bigint, threshold_micros bigint, micros bigint, created_at bigint,
      id text, kind text, due_ms bigint, payload text)),
    fired as (insert into spend_alert_firing (organization_id, alert_id, start, threshold_micros, micros, created_at)
      select asked.organization_id, asked.alert_id, asked.start, asked.threshold_micros,
        coalesce(month.micros, budget.micros, asked.micros), asked.created_at
      from asked
      left join spend_count as month on asked.counted = 'month' and month.organization_id = asked.organization_id
        and month.subject = asked.subject and month.start = asked.start
      left join budget_period as budget on asked.counted = 'budget' and budget.organization_id = asked.organization_id
        and budget.subject = asked.subject and budget.start = asked.start
      where coalesce(month.micros, budget.micros, asked.micros) >= asked.threshold_micros
      on conflict do nothing returning alert_id, start, threshold_micros)
    insert into work (id, kind, due_ms, payload)
      select asked.id, asked.kind, asked.due_ms, asked.payload
      from asked join fired using (alert_id, start, threshold_micros) on conflict do nothing`,
  values: [
    JSON.stringify(
      candidates.map(({ organizationId, alertId, counted, subject, start, micros, work, ...candidate }) => ({
        ...{ organization_id: organizationId, alert_id: alertId, counted, subject, start, micros },
        ...{ threshold_micros: candidate.thresholdMicros, created_at: candidate.createdAt },
        ...{ id: work.id, kind: work.kind, due_ms: work.dueMs, payload: work.payload },
      })),
    ),
  ],
});
