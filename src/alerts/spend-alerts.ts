/**
 * Spend alerts: what they watch, at which amount they go off, and who is told. The ledger lets them go off, in the transaction
 * of the charge that reaches the amount (`ledger/booking/alerting.ts`); `alert-work.ts` tells.
 */
import { and, eq } from "drizzle-orm";
import { type AuditEvent, created, differences, openAudit } from "../audit/audit-events.ts";
import { type Clock, unixSeconds } from "../clock.ts";
import type { Database } from "../db/database.ts";
import { type AlertFilter, type AlertPlace, type AlertRow, openAlertRows } from "../db/queries/alert-rows.ts";
import { Refusal } from "../errors.ts";
import { newId } from "../ids.ts";
import { shareOf } from "../ledger/booking/alerting.ts";
import type { Restrictions } from "../restrictions.ts";
import type { AlertRecipients } from "./recipients.ts";

const OF_SUBJECT_MAX = 20;
const OF_ORGANIZATION_MAX = 1000;

/** `firedAt`: when it went off last, in Unix seconds. `pending`, `unsubscribed`: recipients who get no mail, not yet or no more. */
export type SpendAlert = Omit<AlertRow, "recipients"> & {
  recipients: string[];
  pending: string[];
  unsubscribed: string[];
  firedAt: number | null;
};

/** An amount, or so many percent of the budget, of an organization: of its spending limit. */
export type Threshold = { amountMicros: number } | { percent: number };

/** `recipients`: none where the channel is `webhook`. */
export type AlertSettings = {
  threshold: Threshold;
  channel: AlertRow["channel"];
  recipients: string[];
  subjectPrefix: string | null;
};

/** With a key: of that key of the project. Without a project: of the organization. */
export type Watched = { organizationId: string; projectId: string | null; keyId: string | null };

export type SpendAlerts = {
  /** Refuses recipients that cannot be asked, a key or project that the organization has not, and one alert too many. */
  create(watched: Watched, settings: AlertSettings): Promise<SpendAlert>;
  list(filter: AlertFilter, place: AlertPlace): Promise<SpendAlert[]>;
  /** Null where there is none of this id. */
  find(filter: AlertFilter, id: string): Promise<SpendAlert | null>;
  /** At another amount it may go off again in the same period. */
  change(alert: SpendAlert, settings: Partial<AlertSettings>): Promise<SpendAlert>;
  remove(alert: SpendAlert): Promise<void>;
};

type SpendAlertDeps = {
  database: Database;
  clock: Clock;
  recipients: Pick<AlertRecipients, "statesOf" | "naming" | "named">;
};

const FIELD = "notification_channel.recipients";

export function openSpendAlerts({ database, clock, recipients }: SpendAlertDeps): SpendAlerts {
  const rows = openAlertRows(database);
  const audit = openAudit(database, clock);
  const subjects = openSubjects(database);
  const whole = openStates(rows, recipients);
  const find: SpendAlerts["find"] = async (filter, id) => {
    const row = await rows.find(filter, id);
    return row && (await whole(row.organizationId, [row]))[0]!;
  };
  return {
    async create(watched, settings) {
      const { organizationId, projectId } = watched;
      const { subject, scope, budgetMicros } = await subjects(watched);
      const now = unixSeconds(clock);
      const row: AlertRow = {
        ...{ id: newId("alert", clock), organizationId, scope, subject, projectId },
        ...thresholdOf(settings.threshold, budgetMicros),
        ...{ channel: settings.channel, recipients: JSON.stringify(settings.recipients) },
        ...{ subjectPrefix: settings.subjectPrefix, createdAt: now, updatedAt: now },
      };
      const naming = { organizationId, addresses: settings.recipients, field: FIELD };
      const asked = await recipients.naming({ ...naming, when: rows.isThere(row.id) });
      const alert = alertOf(row);
      const most = { ofSubject: OF_SUBJECT_MAX, ofOrganization: OF_ORGANIZATION_MAX };
      const event = eventOf("spend_alert.created", alert, created(toldOf(alert)));
      await audit.atomically(
        [...rows.added(row, most), ...asked],
        [{ ...event, when: rows.isThere(row.id) }],
      );
      const made = await find({ organizationId, of: "all" }, row.id);
      if (made === null) throw tooMany(scope);
      recipients.named();
      return made;
    },
    list: async (filter, place) => whole(filter.organizationId, await rows.list(filter, place)),
    find,
    async change(alert, settings) {
      const { organizationId, projectId, scope, subject } = alert;
      const addresses = settings.recipients ?? [];
      const asked = await recipients.naming({ organizationId, addresses, field: FIELD });
      const keyId = scope === "key" ? subject : null;
      const budgetMicros =
        settings.threshold && "percent" in settings.threshold
          ? (await subjects({ organizationId, projectId, keyId }, true)).budgetMicros
          : null;
      const change = changeOf(settings, budgetMicros);
      const after = alertOf({ ...storedRow(alert), ...change });
      const changes = differences(toldOf(alert), toldOf(after));
      const update = rows.changed(alert.id, { ...change, updatedAt: unixSeconds(clock) });
      const events = changes.length > 0 ? [eventOf("spend_alert.updated", alert, changes)] : [];
      const recounted = change.percent === null ? [rows.recounted(alert)] : [];
      if (await audit.ifChanged(update, [...recounted, ...asked], events)) recipients.named();
      return (await find({ organizationId, of: "all" }, alert.id)) ?? alert;
    },
    async remove(alert) {
      const [deletion, firings] = rows.removed(storedRow(alert));
      await audit.ifChanged(deletion, [firings], [eventOf("spend_alert.deleted", alert)]);
    },
  };
}

/** Alerts with what else is known of them. */
function openStates(rows: ReturnType<typeof openAlertRows>, recipients: Pick<AlertRecipients, "statesOf">) {
  return async (of: string, found: AlertRow[]): Promise<SpendAlert[]> => {
    const alerts = found.map(alertOf);
    const [fired, states] = await Promise.all([
      rows.lastFired(
        of,
        found.map(({ id }) => id),
      ),
      recipients.statesOf(
        of,
        alerts.flatMap((alert) => alert.recipients),
      ),
    ]);
    const inState = (alert: Stored, state: "pending" | "unsubscribed") =>
      alert.recipients.filter((each) => states.get(each.toLowerCase()) === state);
    return alerts.map((alert) => ({
      ...{ ...alert, firedAt: fired.get(alert.id) ?? null },
      ...{ pending: inState(alert, "pending"), unsubscribed: inState(alert, "unsubscribed") },
    }));
  };
}

type Stored = Omit<SpendAlert, "firedAt" | "pending" | "unsubscribed">;

const alertOf = ({ recipients, ...row }: AlertRow): Stored => ({
  ...row,
  recipients: JSON.parse(recipients) as string[],
});

const storedRow = ({
  firedAt: _,
  pending: __,
  unsubscribed: ___,
  recipients,
  ...alert
}: SpendAlert): AlertRow => ({
  ...alert,
  recipients: JSON.stringify(recipients),
});

/** What is stored of a threshold. An organization's percentage is of what its account says when it is charged. */
const thresholdOf = (threshold: Threshold, budgetMicros: number | null) =>
  "percent" in threshold
    ? { percent: threshold.percent, thresholdMicros: shareOf(budgetMicros, threshold.percent) }
    : { percent: null, thresholdMicros: threshold.amountMicros };

const changeOf = (
  { threshold, channel, recipients, subjectPrefix }: Partial<AlertSettings>,
  budgetMicros: number | null,
): Partial<AlertRow> => ({
  ...(threshold && thresholdOf(threshold, budgetMicros)),
  ...(channel && { channel }),
  ...(recipients && { recipients: JSON.stringify(recipients) }),
  ...(subjectPrefix !== undefined && { subjectPrefix }),
});

type Told = Pick<SpendAlert, "scope" | "percent" | "thresholdMicros" | "channel" | "recipients">;

/** As events of the audit log name the fields; addresses are not told. */
const toldOf = ({ scope, percent, thresholdMicros, channel, recipients }: Told) => ({
  ...{ scope, percent, threshold_micros: thresholdMicros, channel },
  recipients: recipients.length,
});

const eventOf = (
  type: AuditEvent["type"],
  { id, organizationId, projectId }: Pick<SpendAlert, "id" | "organizationId" | "projectId">,
  changes: AuditEvent["changes"] = [],
): AuditEvent => ({ type, organizationId, projectId, resourceId: id, changes });

const tooMany = (scope: AlertRow["scope"]) =>
  new Refusal(
    "too_many_spend_alerts",
    `A ${scope} may have ${OF_SUBJECT_MAX} spend alerts, and all of an organization together ${OF_ORGANIZATION_MAX}. Delete one first.`,
  );

type Subject = { scope: AlertRow["scope"]; subject: string; budgetMicros: number | null };

/** What an alert would watch, and its budget. `isKnown`: it is watched already, whatever has become of it. */
function openSubjects({ query, tables: { project, apiKey } }: Database) {
  const budgetOf = (restrictions: Restrictions | null) => restrictions?.budget?.limit_micros ?? null;
  return async ({ organizationId, projectId, keyId }: Watched, isKnown = false): Promise<Subject> => {
    if (projectId === null) return { scope: "organization", subject: organizationId, budgetMicros: null };
    if (keyId === null) {
      const [row] = await query
        .select()
        .from(project)
        .where(and(eq(project.id, projectId), eq(project.organizationId, organizationId)));
      if (!row) throw new Refusal("not_found", "There is no such project.");
      if (row.status === "archived" && !isKnown)
        throw new Refusal("project_archived", `${row.name} is archived.`);
      return { scope: "project", subject: row.id, budgetMicros: budgetOf(row.restrictions) };
    }
    const [row] = await query
      .select()
      .from(apiKey)
      .where(
        and(eq(apiKey.id, keyId), eq(apiKey.organizationId, organizationId), eq(apiKey.projectId, projectId)),
      );
    if (!row) throw new Refusal("not_found", "There is no such key.");
    if (row.revokedAt !== null && !isKnown) throw new Refusal("key_not_active", `${row.id} is revoked.`);
    return { scope: "key", subject: row.id, budgetMicros: budgetOf(row.restrictions) };
  };
}
