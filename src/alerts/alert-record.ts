/** Spend alerts as the APIs have them, and what they ask for as it is stored. */
import { invalidInput } from "../errors.ts";
import type { SpendAlertChange } from "../spend-alert-fields.ts";
import type { AlertSettings, SpendAlert, Threshold } from "./spend-alerts.ts";

const CENT_MICROS = 10_000;

/** `limitMicros`: the spending limit of an organization, which its percentages are of. */
export function alertRecord(alert: SpendAlert, limitMicros: number | null) {
  const { id, scope, subject, projectId, percent, channel, recipients, subjectPrefix } = alert;
  const ofLimit = percent === null || limitMicros === null ? null : Math.ceil((limitMicros * percent) / 100);
  const micros = scope === "organization" && percent !== null ? ofLimit : alert.thresholdMicros;
  return {
    id,
    threshold_amount: micros === null ? null : micros / CENT_MICROS,
    threshold_percent: percent,
    ...{ currency: "USD" as const, interval: "month" as const, scope, project_id: projectId },
    notification_channel: { type: channel, recipients, subject_prefix: subjectPrefix },
    ...{ pending_recipients: alert.pending, unsubscribed_recipients: alert.unsubscribed },
    api_key_id: scope === "key" ? subject : null,
    ...{ created_at: alert.createdAt, last_fired_at: alert.firedAt },
  };
}

export function changeOf({
  notification_channel: channel,
  ...fields
}: SpendAlertChange): Partial<AlertSettings> {
  const threshold = thresholdIn(fields);
  return { ...(threshold && { threshold }), ...(channel && channelOf(channel)) };
}

export function settingsOf(
  fields: SpendAlertChange & Required<Pick<SpendAlertChange, "notification_channel">>,
): AlertSettings {
  const threshold = thresholdIn(fields);
  if (threshold) return { threshold, ...channelOf(fields.notification_channel) };
  throw invalidInput([
    { field: "threshold_amount", code: "required", message: "is required, or threshold_percent" },
  ]);
}

function thresholdIn({
  threshold_amount: cents,
  threshold_percent: percent,
}: SpendAlertChange): Threshold | null {
  if (cents !== undefined && percent !== undefined) {
    const message = "and threshold_percent exclude one another";
    throw invalidInput([{ field: "threshold_amount", code: "malformed", message }]);
  }
  if (cents !== undefined) return { amountMicros: cents * CENT_MICROS };
  return percent === undefined ? null : { percent };
}

function channelOf({
  type,
  recipients = [],
  subject_prefix: subjectPrefix = null,
}: NonNullable<SpendAlertChange["notification_channel"]>) {
  const field = "notification_channel.recipients";
  if (type === "email" && recipients.length === 0)
    throw invalidInput([{ field, code: "required", message: "must have an address at least" }]);
  if (type === "webhook" && recipients.length > 0)
    throw invalidInput([{ field, code: "malformed", message: "are for the channel email" }]);
  return { channel: type, recipients, subjectPrefix };
}
