/** The events that are sent: when each happens, whose endpoints get it, and a sample of its data. */

/**
 * `receiver`: whose endpoints may get it, beside those of the whole organization. `project`: the event's project; `projects`: all
 * of its projects; `organization`: none. `server`: only endpoints of the server. `toServer`: endpoints of the server get it too,
 * of every organization.
 */
type EventEntry = {
  receiver: "organization" | "project" | "projects" | "server";
  toServer?: true;
  when: string;
  sample: Record<string, string | number | boolean | null>;
};

const KEY = "key_0mh3k2q9x17f0c3a9b2d4e6f";
const PROJECT = "proj_0mh3k2q9x17f0c3a9b2d4e6f";
const USER = "user_0mh3k2q9x17f0c3a9b2d4e6f";
const ORGANIZATION = "org_0mh3k2q9x17f0c3a9b2d4e6f";
const GRANT = "grant_0mh3k2q9x17f0c3a9b2d4e6f";
const TOP_UP = "topup_0mh3k2q9x17f0c3a9b2d4e6f";
const VOICE = "voice_0mh3k2q9x17f0c3a9b2d4e6f";
const JOB = { id: "job_0mh3k2q9x17f0c3a9b2d4e6f", kind: "transcription" };
const BATCH = "batch_0mh3k2q9x17f0c3a9b2d4e6f";
const ALERT = "alert_0mh3k2q9x17f0c3a9b2d4e6f";
const ENDPOINT = "whe_0mh3k2q9x17f0c3a9b2d4e6f";
const PACKAGE = { package: "kitten-nano", version: "2026-10-01", variant: null };

const TABLE = {
  "api_key.created": {
    receiver: "organization",
    when: "An API key was created.",
    sample: { id: KEY, created_by: USER, service_account_id: null },
  },
  "api_key.revoked": {
    receiver: "organization",
    when: "An API key was revoked by itself, not with its project or with its owner.",
    sample: { id: KEY },
  },
  "api_key.rotated": {
    receiver: "organization",
    when: "An API key was replaced: `id` is the new one; the one before ends at `rotated_from_expires_at`.",
    sample: { id: KEY, rotated_from: KEY, rotated_from_expires_at: 1_795_580_000 },
  },
  "api_key.expiring": {
    receiver: "organization",
    when: "An API key expires in 14 days, and again in 3 days.",
    sample: { id: KEY, expires_at: 1_795_580_000, days: 3 },
  },
  "member.added": {
    receiver: "organization",
    when: "A person became a member.",
    sample: { id: USER, role: "member" },
  },
  "member.removed": {
    receiver: "organization",
    when: "A member left or was removed.",
    sample: { id: USER },
  },
  "project.archived": {
    receiver: "organization",
    when: "A project was archived, and its keys were revoked.",
    sample: { id: PROJECT },
  },
  "organization.suspended": {
    receiver: "organization",
    when: "The operator suspended the organization: its keys are refused.",
    sample: { id: ORGANIZATION },
  },
  "organization.resumed": {
    receiver: "organization",
    when: "The operator resumed the organization.",
    sample: { id: ORGANIZATION },
  },
  "voice.created": {
    receiver: "projects",
    when: "A voice of the organization's own was created.",
    sample: { id: VOICE },
  },
  "voice.deleted": {
    receiver: "projects",
    when: "A voice of the organization's own was deleted.",
    sample: { id: VOICE },
  },
  "audio.job.completed": {
    receiver: "project",
    when: "A job was done and charged: its result can be read.",
    sample: JOB,
  },
  "audio.job.failed": {
    receiver: "project",
    when: "A job failed, and cost nothing.",
    sample: { ...JOB, code: "invalid_audio" },
  },
  "audio.job.cancelled": {
    receiver: "project",
    when: "A job was cancelled, and cost nothing.",
    sample: JOB,
  },
  "batch.completed": {
    receiver: "project",
    when: "Every line of a batch has ended: its output can be read.",
    sample: { id: BATCH },
  },
  "batch.failed": {
    receiver: "project",
    when: "The input of a batch is wrong: none of its lines was begun.",
    sample: { id: BATCH },
  },
  "batch.expired": {
    receiver: "project",
    when: "A batch had not ended after its 24 hours: lines that had ended are in its output.",
    sample: { id: BATCH },
  },
  "batch.cancelled": {
    receiver: "project",
    when: "A batch was cancelled: lines that had ended are in its output.",
    sample: { id: BATCH },
  },
  "credit.granted": {
    receiver: "organization",
    when: "Credit was granted without a payment: by the operator, a voucher or at the start.",
    sample: { id: GRANT, kind: "adjustment", amount_micros: 5_000_000, expires_at: null },
  },
  "credit.expiring": {
    receiver: "organization",
    when: "A grant of which $1 or more is left expires in 14 days, and again in 3 days.",
    sample: { id: GRANT, remaining_micros: 5_000_000, expires_at: 1_795_580_000, days: 3 },
  },
  "balance.low": {
    receiver: "organization",
    when: "The balance fell below the amount that owners chose; again only once it was above.",
    sample: { balance_micros: 4_990_000, threshold_micros: 5_000_000 },
  },
  "balance.empty": {
    receiver: "organization",
    when: "A request was refused because no credit is left; once until credit is granted or bought.",
    sample: { last_grant_id: GRANT },
  },
  "spending_limit.reached": {
    receiver: "organization",
    when: "A request was refused because the monthly spending limit is reached; once in a month (UTC).",
    sample: { month_start: 1_793_491_200 },
  },
  "budget.reached": {
    receiver: "organization",
    when: "A request was refused because the budget of its key or of its project is used up; once in a period, and again for another limit.",
    sample: {
      ...{ id: KEY, of: "key", limit_micros: 20_000_000, interval: "month" },
      period_start: 1_793_491_200,
    },
  },
  "spend.alert": {
    receiver: "organization",
    when: "What was spent reached the amount of a spend alert; once in a month or period of a budget, and again for another amount.",
    sample: {
      ...{ id: ALERT, scope: "key", watched_id: KEY, threshold_micros: 16_000_000, percent: 80 },
      ...{ spent_micros: 16_004_200, period_start: 1_793_491_200 },
    },
  },
  "rate_limit.reached": {
    receiver: "organization",
    when: "A request was refused with 429; once in an hour for each code.",
    sample: { code: "rate_limit_exceeded" },
  },
  "payment.succeeded": {
    ...{ receiver: "organization", toServer: true },
    when: "A payment became credit: what was paid includes tax.",
    sample: { top_up_id: TOP_UP, amount_micros: 20_000_000, paid_micros: 23_800_000 },
  },
  "payment.refunded": {
    ...{ receiver: "organization", toServer: true },
    when: "Credit of a payment was taken back, since the payment was refunded or disputed.",
    sample: { top_up_id: TOP_UP, kind: "refund", amount_micros: 20_000_000 },
  },
  "payment.failed": {
    ...{ receiver: "organization", toServer: true },
    when: "Auto-recharge could not charge the card: the first time in a row.",
    sample: { top_up_id: TOP_UP, amount_micros: 20_000_000, balance_micros: 0, problem: "card_declined" },
  },
  "auto_recharge.disabled": {
    receiver: "organization",
    when: "Auto-recharge was switched off: its third charge in a row failed, credit was refunded or disputed, or the card is gone.",
    sample: { reason: "switched_off" },
  },
  "price.changing": {
    receiver: "organization",
    when: "A model will cost something else: 14 days before, or when the change is set if that is later. Of prepaid organizations.",
    sample: { model: "svc-tts1", unit_price_micros: 15_000_000, valid_from: 1_795_580_000 },
  },
  "organization.created": {
    receiver: "server",
    when: "An organization was created.",
    sample: { id: ORGANIZATION },
  },
  "organization.deleted": {
    receiver: "server",
    when: "The deletion of an organization began, which is never undone.",
    sample: { id: ORGANIZATION },
  },
  "package.installed": {
    receiver: "server",
    when: "A model package that operators asked for was installed: by the first node that has it.",
    sample: PACKAGE,
  },
  "package.failed": {
    receiver: "server",
    when: "A model package that operators asked for could not be installed: the first time in a row.",
    sample: PACKAGE,
  },
  "node.joined": {
    receiver: "server",
    when: "A node began to share the database of PostgreSQL, or does so again.",
    sample: { id: "node-1", version: "0.1.0" },
  },
  "node.lost": {
    receiver: "server",
    when: "A node was not seen for ten seconds, and had not been stopped.",
    sample: { id: "node-1", version: "0.1.0" },
  },
  "upstream.out": {
    receiver: "server",
    when: "No server of an upstream is in use at a node, since each has failed several times.",
    sample: { upstream: "whisper" },
  },
  "upstream.up": {
    receiver: "server",
    when: "A server of that upstream is in use again.",
    sample: { upstream: "whisper" },
  },
  "webhook.endpoint.disabled": {
    receiver: "project",
    when: "Sent when an endpoint is switched on again, also to itself: since when and why it was off, and how many events it missed.",
    sample: { id: ENDPOINT, reason: "failing", disabled_at: 1_795_580_000, missed_events: 12 },
  },
} as const satisfies Record<string, EventEntry>;

export type EventType = keyof typeof TABLE;

export const EVENT_TYPES: Readonly<Record<EventType, EventEntry>> = TABLE;

const ALL = Object.keys(TABLE) as EventType[];

/** Those that endpoints of the server get, of every organization. */
export const SERVER_TYPES: readonly EventType[] = ALL.filter(
  (type) => EVENT_TYPES[type].receiver === "server" || EVENT_TYPES[type].toServer,
);

const OWN: EventType = "webhook.endpoint.disabled";

/** Those that an endpoint may want. `organizationId` null: one of the server. */
export function eventTypesFor(owner: {
  organizationId: string | null;
  projectId: string | null;
}): EventType[] {
  if (owner.organizationId === null) return [...SERVER_TYPES, OWN];
  const others = ALL.filter((type) => EVENT_TYPES[type].receiver !== "server");
  return owner.projectId === null
    ? others
    : others.filter((type) => EVENT_TYPES[type].receiver !== "organization");
}

/** Those that endpoints of every project may get. */
export const SHARED_TYPES: readonly EventType[] = ALL.filter(
  (type) => EVENT_TYPES[type].receiver === "projects",
);
