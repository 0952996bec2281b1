/** What is written to a ledger, and what comes of it. */
import type { Tables } from "../../db/database.ts";
import {
  type Charge,
  type Grant,
  isMoney,
  type NewGrant,
  type NewReversal,
  type Reversal,
  type UsageEvent,
} from "./burn-down.ts";
import type { NewRefund } from "./refund.ts";
import type { Attempt, ChargedAttempt, Claimed, Replayable } from "./replay.ts";

/** One request to an audio endpoint. `createdAt` in Unix seconds. */
export type RequestLog = {
  id: string;
  createdAt: number;
  durationMs: number;
  /** Time to the first byte of audio or text; null if none was sent. */
  firstByteMs: number | null;
  endpoint: string;
  method: string;
  status: number;
  errorCode: string | null;
  /** As the client received it, at most 500 characters, without keys. */
  errorMessage: string | null;
  organizationId: string;
  projectId: string;
  keyId: string;
  environment: "live" | "test";
  model: string | null;
  voice: string | null;
  /** A code such as "de": what was spoken, or in which a text was read; null: not known. */
  language: string | null;
  stream: boolean;
  responseFormat: string | null;
  characters: number | null;
  audioSeconds: number | null;
  /** Of a conversation; null: the request is none. */
  responses: number | null;
  inputTokens: number | null;
  outputTokens: number | null;
  costMicros: number;
  /** The request that was charged for the same work; null if this one was. */
  replayOf: string | null;
  ip: string | null;
  userAgent: string | null;
  /** Whom its client named as its user, as it is stored. */
  endUser: string | null;
  /** What its client calls it, as it is stored. */
  label: string | null;
  /** Of a live session: what half of its utterances waited at most, from their end to their final text. */
  finalTextMs: number | null;
};

const COMPLETED = ["durationMs", "firstByteMs", "audioSeconds", "finalTextMs"] as const;

/** What a request's log lacks until the request has ended. */
export type RequestEnd = Pick<RequestLog, "organizationId" | "id" | (typeof COMPLETED)[number]>;

/** What completes the row that a charge wrote; null where other fields have changed too. */
export function endOf(stored: RequestLog, log: RequestLog): RequestEnd | null {
  for (const name of Object.keys(log) as (keyof RequestLog)[])
    if (log[name] !== stored[name] && !COMPLETED.includes(name as never)) return null;
  const { organizationId, id, durationMs, firstByteMs, audioSeconds, finalTextMs } = log;
  return { organizationId, id, durationMs, firstByteMs, audioSeconds, finalTextMs };
}

/** The key of a row. */
export type Name = [organizationId: string, id: string];

/** The same as text. */
export const nameOf = ({ organizationId, id }: { organizationId: string; id: string }) =>
  `${organizationId} ${id}`;

/** Names the row of a request that may be repeated, as the request left it. */
export type ReplayName = Pick<Replayable, "organizationId" | "id" | "requestId" | "holderId">;

/** A row of the audit log. It says what a setting becomes; what it was before is filled in. */
export type AuditEventRow = Tables["auditEvent"]["$inferSelect"];

type Audited = { audit?: AuditEventRow | undefined };

/**
 * `request`: the log of the charged request as far as known, so that it is logged and counted in the transaction of its
 * first charge. `end` completes such a row, which must be stored already. `void` undoes a charge, or keeps it from ever being applied; `refund` corrects one.
 * `replayable`: with the last charge of a request that may be repeated; where a charge is taken back, its row is deleted, or
 * as it was before.
 * `covered`: only what grants have is taken back; where they have less, nothing is.
 * `audit`: written in the same transaction, unless nothing changes.
 * `claim`, `renew`, `settle`, `abandon`: see `replay.ts`. `trim`: deletes rows of repeated requests that are not needed, at that time.
 */
export type Write =
  | { log: RequestLog }
  | { end: RequestEnd }
  | { charge: Charge; request?: RequestLog | undefined; replayable?: ChargedAttempt | undefined }
  | { void: Charge; replayable?: ReplayName | undefined }
  | { refund: NewRefund; replayable?: ReplayName | undefined }
  | { claim: Attempt }
  | { renew: Attempt }
  | { settle: ChargedAttempt }
  | { abandon: Attempt }
  | { trim: number }
  | ({ grant: NewGrant } & Audited)
  | ({ reversal: NewReversal; covered?: true } & Audited)
  | { forget: Name[] }
  | ({ limit: Setting } & Audited)
  | ({ balanceAlert: Setting } & Audited);

type Setting = { organizationId: string; micros: number | null };

/**
 * The outcome of each write, in order. `audited`: the row of the audit log that was written with it. `availableMicros`: how much of a correction could be taken back; nothing was. `error`: a
 * bug's message; one bad write does not fail its batch.
 */
export type Outcome =
  | { event: UsageEvent }
  | { grant: Grant; audited?: AuditEventRow }
  | { reversal: Reversal; audited?: AuditEventRow }
  | { availableMicros: number }
  | { claimed: Claimed }
  | { done: true; audited?: AuditEventRow }
  | { error: string };

/** What is wrong with the amount of a write, if anything. */
export function moneyFault(write: Write): string | null {
  const micros = microsOf(write);
  return isMoney(micros) ? null : `${micros} micros are no amount of money`;
}

function microsOf(write: Write): number {
  if ("charge" in write) return write.charge.costMicros;
  if ("refund" in write) return write.refund.costMicros;
  if ("grant" in write) return write.grant.amountMicros;
  if ("reversal" in write) return write.reversal.amountMicros;
  if ("limit" in write) return write.limit.micros ?? 0;
  return "balanceAlert" in write ? (write.balanceAlert.micros ?? 0) : 0;
}
