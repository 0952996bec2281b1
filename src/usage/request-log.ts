/**
 * A metered request: who sent it and for what, and the row of the request log that it becomes, unless it is one of a flood
 * of refusals.
 */
import type { Principal } from "../accounts/principal.ts";
import type { Clock } from "../clock.ts";
import { redacted } from "../kept-data.ts";
import type { RequestLog } from "../ledger/booking/write.ts";
import type { RequestLines } from "../log/log.ts";
import type { Trace } from "../tracing/tracing.ts";
import type { OnDecision, WorkBucket } from "./admission.ts";

/** What a request says of being sent again. `key`: its Idempotency-Key. `attempt`: how often its client sent it before. */
type Repeating = { key: string | null; attempt: number; path: string };

export type RequestContext = {
  id: string;
  principal: Principal;
  endpoint: string;
  method: string;
  bucket: WorkBucket;
  ip: string | null;
  userAgent: string | null;
  /** Whom a header of the client names as its user; absent: none. */
  endUser?: string | null;
  decided?: OnDecision;
  /** Aborted when the client leaves. */
  signal?: AbortSignal;
  trace?: Trace | null;
  /** Null where the request cannot be recognized when it is sent again. */
  repeating?: Repeating | null;
  /** Called where it is a repetition that is not charged. */
  replayed?: () => void;
  /** Called once, when the work ends. */
  ended?: () => void;
};

/** What only the handler of a request knows for its log row. */
export type Notes = Partial<
  Pick<
    RequestLog,
    | "model"
    | "voice"
    | "language"
    | "stream"
    | "responseFormat"
    | "characters"
    | "audioSeconds"
    | "responses"
    | "inputTokens"
    | "outputTokens"
    | "errorMessage"
    | "endUser"
    | "label"
    | "finalTextMs"
  >
>;

/** Of the span of a traced request. */
export const attributesOf = ({ model, voice, responseFormat, audioSeconds }: Notes) => ({
  ...(model && { "gen_ai.request.model": model }),
  ...(voice && { "loquat.voice": voice }),
  ...(responseFormat && { "loquat.response_format": responseFormat }),
  ...(audioSeconds && { "loquat.audio_seconds": audioSeconds }),
});

const SLOW_MS = 2000; // until the first audio or text

/** Whether LOG_REQUESTS gives a request a line in the log. A live session that is silent at first is not slow. */
export function hasLine(
  requests: RequestLines,
  {
    status,
    method,
    firstByteMs,
    durationMs,
  }: Pick<RequestLog, "status" | "method" | "firstByteMs" | "durationMs">,
): boolean {
  const isSlow = method !== "WS" && (firstByteMs ?? durationMs) > SLOW_MS;
  return requests === "all" || status >= 400 || (requests === "slow" && isSlow);
}

const MESSAGE_MAX = 500;
/** A key that was sent in place of another value. */
const KEYS = /\b[se]k[_-][\w-]{6,300}/g;

const storedMessage = (message: string): string =>
  message
    .slice(0, 2 * MESSAGE_MAX)
    .replace(KEYS, "[key]")
    .slice(0, MESSAGE_MAX);

const END_USER_MAX = 128;
const LABEL_MAX = 64;
const UNPRINTED = /[\p{Cc}\p{Zl}\p{Zp}]/gu;

/** A text as clients send it, within what is stored; null: none. */
function printedIn(text: string, max: number): string | null {
  const printed = text
    .slice(0, 8 * max)
    .replace(UNPRINTED, "")
    .trim();
  return Array.from(printed).slice(0, max).join("").toWellFormed().trim() || null;
}

/** Of what a client notes of its request; null: nothing. */
export function labelIn(metadata: unknown): string | null {
  const { label } = (metadata ?? {}) as { label?: unknown };
  return typeof label === "string" ? storedLabel(label) : null;
}

export const storedLabel = (label: string): string | null => printedIn(label, LABEL_MAX);

const HASHED = "hmac_";
const HASH_LENGTH = 32; // 192 bits

/** Whether a text may be what is stored of a name with a key. */
export const isHashed = (text: string): boolean => /^hmac_[\w-]{32}$/.test(text);

/** The name of an end user as it is stored with a key; null: as it is. */
export function storedEndUser(name: string, key: string | null): string | null {
  const endUser = printedIn(name, END_USER_MAX);
  if (endUser === null || key === null) return endUser;
  const digest = new Bun.CryptoHasher("sha256", key).update(endUser).digest("base64url");
  return HASHED + digest.slice(0, HASH_LENGTH);
}

/** What of a row is written to the log of the server: what clients sent stays out. */
export const lineOf = ({
  ip: _,
  userAgent: __,
  errorMessage: ___,
  endUser: ____,
  label: _____,
  ...fields
}: RequestLog) => fields;

type Measured = Pick<
  RequestLog,
  "createdAt" | "durationMs" | "firstByteMs" | "status" | "errorCode" | "costMicros" | "replayOf"
>;

export function logRow(context: RequestContext, fields: Notes & Measured): RequestLog {
  const { id, principal, endpoint, method, ip, userAgent } = context;
  const { redaction } = principal;
  const endUser = fields.endUser ?? context.endUser ?? null;
  const { organizationId, projectId, keyId, environment } = principal;
  const row = {
    model: null,
    voice: null,
    language: null,
    stream: false,
    responseFormat: null,
    characters: null,
    audioSeconds: null,
    responses: null,
    inputTokens: null,
    outputTokens: null,
    label: null,
    finalTextMs: null,
    ...fields,
    errorMessage: fields.errorMessage ? storedMessage(fields.errorMessage) : null,
    id,
    endpoint,
    method,
    organizationId,
    projectId,
    keyId,
    environment,
    ip,
    userAgent,
    endUser: endUser === null ? null : storedEndUser(endUser, redaction?.endUserKey ?? null),
  };
  return redaction === null ? row : redacted(row, redaction);
}

const LOGGED_PER_MINUTE = 60;
const MINUTE_MS = 60_000;

export type Refusals = {
  /** Whether one more may be logged now. */
  mayLog(organizationId: string): boolean;
};

/**
 * Limits how many refused requests of an organization are logged: refusals are free, so a flood of them must fill
 * neither the database nor the log. Beyond the limit they are only counted in the metrics.
 */
export function openRefusals(clock: Clock): Refusals {
  const logged = new Map<string, number>();
  let minute = 0;
  return {
    mayLog(organizationId) {
      const now = Math.floor(clock.now() / MINUTE_MS);
      if (now !== minute) logged.clear();
      minute = now;
      const before = logged.get(organizationId) ?? 0;
      if (before >= LOGGED_PER_MINUTE) return false;
      logged.set(organizationId, before + 1);
      return true;
    },
  };
}
