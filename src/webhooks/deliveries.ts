/**
 * Delivers events to endpoints: rows of work that the transactions of their causes have added.
 *
 *   claimed ──sent──2xx──> delivered
 *              └──else──> again by the schedule, or failed after the last attempt
 *                           └── 410, or failures for days: the endpoint is switched off, and owners are told
 *
 * An endpoint whose last attempt failed is attempted in a kind of work of its own, so that those that hang take slots of each
 * other only.
 */

import { openAudit } from "../audit/audit-events.ts";
import { type Clock, unixSeconds } from "../clock.ts";
import type { Database } from "../db/database.ts";
import { type Delivery, openDeliveryRows, WEBHOOK_KINDS } from "../db/queries/webhook-deliveries.ts";
import { type EndpointRow, openEndpointRows } from "../db/queries/webhook-endpoints.ts";
import { addsOf } from "../db/queries/work-rows.ts";
import { Refusal } from "../errors.ts";
import type { Log } from "../log/log.ts";
import type { Handler } from "../work/attempt.ts";
import type { Work } from "../work/work-queue.ts";
import { noticeOf } from "./owner-letter.ts";
import type { Send } from "./sending.ts";

/** 64 attempts of a node, of which those to endpoints that fail are a quarter. */
const AT_ONCE = { well: 48, failing: 16 };
const OF_ENDPOINT = 4;
/** Of a row, ended by its process or by the database: the schedule counts those that were sent. */
const BEGUN_MAX = 100;
const PAUSE_MS = 60_000;

const DAY_SECONDS = 86_400;
const FAILURES_MAX = 10;
const FAILING_SECONDS = 7 * DAY_SECONDS;
/** Of an endpoint that has never answered well. */
const NEVER_WELL_SECONDS = 3 * DAY_SECONDS;
/** A success is noted of an endpoint that had failed, or after a while. */
const SUCCESS_STEP_SECONDS = 60;

export type DeliveryDeps = {
  database: Database;
  work: Work;
  send: Send;
  /** The common time of nodes that share a database. */
  clock: Clock;
  log: Log;
  /** Called after each attempt. */
  attempted: (outcome: "delivered" | "failed") => void;
  /** From 0 to 1: spreads attempts. */
  random: () => number;
};

/** An attempt that failed; another one follows at that time, if any. */
class Undelivered extends Error {
  readonly dueMs: number | null;
  constructor(dueMs: number | null) {
    super("an event was not delivered");
    this.dueMs = dueMs;
  }
}

type Queue = keyof typeof WEBHOOK_KINDS;

export function handleDeliveries(deps: DeliveryDeps): void {
  for (const queue of ["well", "failing"] as const)
    deps.work.handle(WEBHOOK_KINDS[queue], handlerOf(deps, queue));
}

function handlerOf(deps: DeliveryDeps, queue: Queue): Handler {
  const { database, clock, log } = deps;
  const rows = openDeliveryRows(database);
  const deliver = delivering(deps);
  return {
    rules: {
      ...{ attemptsMax: BEGUN_MAX, pauseMs: () => PAUSE_MS },
      ...{ atOnce: AT_ONCE[queue], groupAtOnce: OF_ENDPOINT },
    },
    async attempt({ id, payload, signal }) {
      const found = await rows.whole(payload);
      if (found === null || found.delivery.status !== "pending") return []; // deleted since, or sent by another row
      const { endpoint, delivery } = found;
      if (endpoint.status === "disabled") {
        await rows.note(delivery.id, { status: "failed", error: OFF, nextAttemptAt: null }, []);
        return [];
      }
      if (queue === "well" && endpoint.failures > 0)
        return [{ id, kind: WEBHOOK_KINDS.failing, group: endpoint.id, dueMs: clock.now(), payload }];
      await deliver(found, signal);
      return [];
    },
    failureOf: (cause) =>
      cause instanceof Undelivered ? (cause.dueMs === null ? { isFinal: true } : { dueMs: cause.dueMs }) : {},
    failed(cause, { id, again }) {
      if (!(cause instanceof Undelivered))
        log.warn("work_failed", { id, kind: WEBHOOK_KINDS[queue], again, cause });
    },
  };
}

const OFF = "The endpoint is switched off.";

type Whole = NonNullable<Awaited<ReturnType<ReturnType<typeof openDeliveryRows>["whole"]>>>;

function delivering(deps: DeliveryDeps) {
  const { database, send, clock, random } = deps;
  const rows = openDeliveryRows(database);
  const endpoints = openEndpointRows(database);
  const switchOff = switchingOff(deps);

  async function met({ endpoint, event }: Whole, signal: AbortSignal): Promise<Met> {
    try {
      const { statusCode, retryAfter } = await send(endpoint, event, signal);
      return { statusCode, error: isWell(statusCode) ? null : wordsOf(statusCode), retryAfter };
    } catch (cause) {
      if (signal.aborted || !(cause instanceof Refusal)) throw cause;
      return { statusCode: null, error: cause.message };
    }
  }

  /** Notes at once what it met, so that a process that ends now sends the event no second time. */
  return async (whole: Whole, signal: AbortSignal): Promise<void> => {
    const { delivery, endpoint } = whole;
    const attempts = delivery.attempts + 1;
    const begunMs = performance.now();
    const answer = await met(whole, signal);
    deps.attempted(answer.error === null ? "delivered" : "failed");
    const { statusCode, error } = answer;
    const known = { attempts, statusCode, error, durationMs: Math.round(performance.now() - begunMs) };
    const now = unixSeconds(clock);
    if (error === null) {
      const well = { ...known, status: "delivered", nextAttemptAt: null } as const;
      const isNews = endpoint.failures > 0 || now - (endpoint.succeededAt ?? 0) >= SUCCESS_STEP_SECONDS;
      return rows.note(delivery.id, well, isNews ? [endpoints.succeeded(endpoint.id, now)] : []);
    }
    const dueMs = dueAfter(attempts, answer, { random: random(), nowMs: clock.now() });
    const again: Partial<Delivery> =
      dueMs === null ? { status: "failed", nextAttemptAt: null } : { nextAttemptAt: Math.ceil(dueMs / 1000) };
    await rows.note(delivery.id, { ...known, ...again }, [endpoints.failed(endpoint.id)]);
    await switchOff(endpoint, statusCode);
    throw new Undelivered(dueMs);
  };
}

function dueAfter(attempts: number, met: Met, at: { random: number; nowMs: number }): number | null {
  const pause = met.statusCode === 410 ? null : pauseAfter(attempts, met, at);
  return pause === null ? null : at.nowMs + pause;
}

const isWell = (statusCode: number): boolean => statusCode >= 200 && statusCode < 300;

const wordsOf = (statusCode: number): string =>
  statusCode >= 300 && statusCode < 400
    ? `It answered ${statusCode}, and redirects are not followed.`
    : `It answered ${statusCode}.`;

/** After a failed attempt: an endpoint that is gone, or that has failed for days. */
function switchingOff({ database, clock, log }: DeliveryDeps) {
  const endpoints = openEndpointRows(database);
  const audit = openAudit(database, clock);
  return async (endpoint: EndpointRow, statusCode: number | null): Promise<void> => {
    const isGone = statusCode === 410;
    if (!isGone && endpoint.failures + 1 < FAILURES_MAX) return;
    const now = unixSeconds(clock);
    const reason = isGone ? "gone" : "failing";
    const since = {
      failures: FAILURES_MAX,
      succeededBefore: now - FAILING_SECONDS,
      enabledBefore: now - NEVER_WELL_SECONDS,
    };
    const { id, organizationId, projectId } = endpoint;
    const update = endpoints.switchedOff(
      id,
      { disabledReason: reason, disabledAt: now },
      isGone ? undefined : since,
    );
    const isOff = await audit.ifChanged(update, addsOf(database, [noticeOf(endpoint, clock)]), [
      {
        ...{ type: "webhook.updated", organizationId, projectId, resourceId: id },
        changes: [{ field: "status", before: "enabled", after: "disabled" }],
      },
    ]);
    if (isOff) log.info("webhook_disabled", { endpoint: id, organizationId, reason });
  };
}

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

const PAUSES_MS = [
  ...[5 * SECOND_MS, 5 * MINUTE_MS, 30 * MINUTE_MS],
  ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR_MS),
];
const SPREAD = 0.2;
const RETRY_AFTER_MAX_MS = 24 * HOUR_MS;

/**
 * When a delivery is attempted again. Pure.
 *
 *   attempt   1   2     3      4       5    6    7     8     9     10
 *   after     0   5 s   5 min  30 min  2 h  5 h  10 h  14 h  20 h  24 h, each ±20 %
 *
 * What an endpoint answered, or why it did not. `error` null: it took the event. `retryAfter`: the header.
 */
export type Met = { statusCode: number | null; error: string | null; retryAfter?: string | undefined };

/**
 * Milliseconds from a failed attempt, counted from 1, until the next one; null after the last. `random`: from 0 to 1. @internal
 */
export function pauseAfter(
  attempt: number,
  { statusCode, retryAfter }: Pick<Met, "statusCode" | "retryAfter">,
  { random, nowMs }: { random: number; nowMs: number },
): number | null {
  const pause = PAUSES_MS[attempt - 1];
  if (pause === undefined) return null;
  const spread = pause * (1 - SPREAD + 2 * SPREAD * random);
  const isBusy = statusCode === 429 || statusCode === 503;
  return Math.round(Math.max(spread, isBusy ? waitOf(retryAfter, nowMs) : 0));
}

/** Seconds or a date, up to a day; 0 where it is neither. */
function waitOf(retryAfter: string | undefined, nowMs: number): number {
  const text = retryAfter?.trim() ?? "";
  const ms = /^\d+$/.test(text) ? Number(text) * SECOND_MS : Date.parse(text) - nowMs;
  return Number.isNaN(ms) ? 0 : Math.min(Math.max(0, ms), RETRY_AFTER_MAX_MS);
}
