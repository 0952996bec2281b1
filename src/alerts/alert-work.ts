/**
 * Tells of alerts that went off. The ledger has added the work in the transaction of its charge.
 *
 *   spend_alert ──> the event `spend.alert`, once ──> alert_mail for each recipient ──> a mail, five attempts
 *
 * A node that is killed while it sends may have told a member: the next one tells them again.
 */
import { eq, inArray } from "drizzle-orm";
import type { Database } from "../db/database.ts";
import { openAlertRows } from "../db/queries/alert-rows.ts";
import { raisedOnce } from "../db/queries/event-rows.ts";
import type { NewWork } from "../db/queries/work-rows.ts";
import { openRaising } from "../events/raising.ts";
import { SPEND_ALERT_WORK, type SpendAlertWork } from "../ledger/booking/alerting.ts";
import type { Handler } from "../work/attempt.ts";
import { mailHandler, mailsTo } from "../work/mail-handler.ts";
import { type Named, spentWords } from "./alert-letters.ts";
import { ALERT_EVENTS, type AlertWorkDeps, organizationNamed, RAISING_RULES, sendTo } from "./alert-mail.ts";
import { addressees } from "./recipients.ts";
import type { SpendAlert } from "./spend-alerts.ts";

const MAIL_KIND = "alert_mail";
const DEAREST_MAX = 3;

/** `userId`: of the recipient; of an address that is no member's, its own id. */
type MailPayload = SpendAlertWork & { userId: string };

export function handleAlerts(deps: AlertWorkDeps): void {
  deps.work.handle(SPEND_ALERT_WORK, raising(deps));
  deps.work.handle(
    MAIL_KIND,
    mailHandler({ log: deps.log, events: ALERT_EVENTS }, (payload: MailPayload) => mailSpent(deps, payload)),
  );
}

function raising({ database, clock }: AlertWorkDeps): Handler {
  const raise = openRaising(clock);
  return {
    rules: RAISING_RULES,
    async attempt({ id, payload: text }): Promise<NewWork[]> {
      const payload = JSON.parse(text) as SpendAlertWork;
      const found = await firingOf(database, payload);
      if (found === null) return []; // deleted since
      const { alert, firing } = found;
      const { organizationId, projectId } = alert;
      const event = raise({
        ...{ type: "spend.alert", organizationId, projectId, once: { key: id, at: firing.createdAt } },
        data: {
          ...{ id: alert.id, scope: alert.scope, watched_id: alert.subject, percent: alert.percent },
          ...{ threshold_micros: firing.thresholdMicros, spent_micros: firing.micros },
          period_start: firing.start,
        },
      });
      if (await raisedOnce(database, event)) database.raised?.();
      if (alert.channel !== "email") return [];
      const possible = await addressees(database, organizationId);
      const recipients = possible.filter((each) => isRecipient(alert, each));
      return mailsTo(recipients, { id, kind: MAIL_KIND, payload, dueMs: clock.now() });
    },
  };
}

/** Addresses are as they were given; those of users are in small letters. */
const isRecipient = ({ recipients }: Pick<SpendAlert, "recipients">, { email }: { email: string }): boolean =>
  recipients.some((each) => each.toLowerCase() === email);

async function firingOf(database: Database, payload: SpendAlertWork) {
  const rows = openAlertRows(database);
  const { organizationId, alertId } = payload;
  const row = await rows.find({ organizationId, of: "all" }, alertId);
  const firing = row && (await rows.firing(payload));
  if (!row || !firing) return null;
  return { alert: { ...row, recipients: JSON.parse(row.recipients) as string[] }, firing };
}

/** Who is no member any more, wants no more mail, or is no recipient, is not told. */
async function mailSpent(deps: AlertWorkDeps, { userId, ...payload }: MailPayload) {
  const { database } = deps;
  const { organizationId } = payload;
  const found = await firingOf(database, payload);
  const recipient = (await addressees(database, organizationId)).find(({ id }) => id === userId);
  if (!found || !recipient || !isRecipient(found.alert, recipient)) return null;
  const { alert, firing } = found;
  const watched = await watchedBy(database, alert);
  if (watched === undefined) return null; // deleted since
  const { start, micros, thresholdMicros } = firing;
  const dearest = await dearestKeys(database, alert, start);
  const words = spentWords({ alert, watched, thresholdMicros, micros, start, dearest });
  const organization = await organizationNamed(database, organizationId);
  return sendTo(deps, recipient, { ...words, organization, page: "usage" });
}

/** Null: the organization. Undefined where it has been deleted. */
async function watchedBy(
  database: Database,
  { scope, subject }: Pick<SpendAlert, "scope" | "subject">,
): Promise<Named | null | undefined> {
  if (scope === "organization") return null;
  if (scope === "key") return (await keysNamed(database, [subject])).get(subject);
  const { project } = database.tables;
  const [row] = await database.query
    .select({ name: project.name })
    .from(project)
    .where(eq(project.id, subject));
  return row && { name: row.name, shown: null };
}

/** Those that cost most since then, of what the alert watches. */
async function dearestKeys(
  database: Database,
  { organizationId, scope, subject }: Pick<SpendAlert, "organizationId" | "scope" | "subject">,
  start: number,
) {
  if (scope === "key") return [];
  const projectId = scope === "project" ? subject : null;
  const dearest = await openAlertRows(database).dearest({ organizationId, projectId, start }, DEAREST_MAX);
  const names = await keysNamed(
    database,
    dearest.map(({ id }) => id),
  );
  return dearest.map(({ id, micros }) => ({ ...(names.get(id) ?? { name: id, shown: null }), micros }));
}

async function keysNamed(
  { query, tables: { apiKey } }: Database,
  ids: string[],
): Promise<Map<string, Named>> {
  if (ids.length === 0) return new Map();
  const rows = await query
    .select({ id: apiKey.id, name: apiKey.name, prefix: apiKey.prefix, last4: apiKey.last4 })
    .from(apiKey)
    .where(inArray(apiKey.id, ids));
  return new Map(rows.map(({ id, name, prefix, last4 }) => [id, { name, shown: `${prefix}…${last4}` }]));
}
