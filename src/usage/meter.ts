/**
 * The only path by which work costs money.
 *
 *   open ──> admit (429, 402) ──> take (429) ──> work ──> post (the charge, durable) ──> the caller has the result
 *                                                                 end: the slot is free, the request is logged
 *
 * Whatever a request was opened for, it is ended once, and its slot is never kept longer than that.
 */
import type { Principal } from "../accounts/principal.ts";
import { type Clock, unixSeconds } from "../clock.ts";
import { type Charge, costOf } from "../ledger/burn-down.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { RequestLog } from "../ledger/store.ts";
import { type BucketName, LEASE_MS, type LimitStore, type Limits, limitsOf } from "../limits/limits.ts";
import type { Log } from "../log.ts";
import type { Metrics } from "../metrics.ts";
import { askLimits, checkCredit, type WorkBucket } from "./admission.ts";
import { openRefusals, type Refusals } from "./refusals.ts";

type Visit = {
  id: string;
  principal: Principal;
  endpoint: string;
  method: string;
  bucket: WorkBucket;
  ip: string | null;
  userAgent: string | null;
  /** Where the limit headers go. */
  headers: Record<string, string | number>;
};

/** What was used up of a model so far, all of it: what was posted before is not charged again. */
export type Consumed = { model: string; priceMicros: number; quantity: number };

/** What the request log says of a request besides what the meter knows itself. */
type Notes = Partial<
  Pick<RequestLog, "model" | "voice" | "stream" | "responseFormat" | "characters" | "audioSeconds">
>;

export type Work = {
  /** The request bucket and a slot, then the credit. */
  admit(): Promise<void>;
  /** Points of the bucket of its work. */
  take(cost: number): Promise<void>;
  note(notes: Notes): void;
  /** Durable when it resolves; before that the caller must not have what it pays for. Where it fails nothing is charged. */
  post(consumed: Consumed): Promise<void>;
  /** Charges what the caller has already: where the ledger cannot be reached, as soon as it can. */
  owe(consumed: Consumed): Promise<void>;
  /** The credit, once more: for work that goes on for long. Throws as `admit` does. */
  checkCredit(): Promise<void>;
  /** What a long work came to so far stands in the request log. */
  noteProgress(status: number): void;
  /** The first byte of audio or text is on its way. */
  started(): void;
  end(status: number, errorCode?: string | null): void;
};

export type Meter = AsyncDisposable & {
  open(visit: Visit): Work;
  /** One point of the request bucket, for what costs no money and holds no slot. */
  takeRequest(principal: Principal, headers: Visit["headers"]): Promise<void>;
};

type MeterParts = {
  ledger: Ledger;
  limits: LimitStore;
  clock: Clock;
  log: Log;
  metrics: Metrics;
  /** Told of every charge. */
  charged: (organizationId: string) => void;
};

export function openMeter(parts: MeterParts): Meter {
  const { ledger, limits, clock } = parts;
  const refusals = openRefusals(clock);
  const held = new Map<string, string>();
  const renewal = setInterval(() => {
    for (const [slotId, organizationId] of held) void limits.renew(organizationId, slotId, clock.now());
  }, LEASE_MS / 3);
  return {
    open: (visit) => openWork({ ...parts, refusals }, visit, held),
    async takeRequest({ organizationId, limitOverrides }, headers) {
      const { purchasedMicros } = await ledger.credit(organizationId);
      const own = limitsOf(purchasedMicros, limitOverrides);
      const asking = { organizationId, now: clock.now(), slot: null, own, headers };
      await askLimits(limits, { ...asking, costs: { requests: 1 } });
    },
    async [Symbol.asyncDispose]() {
      clearInterval(renewal);
      await Promise.all([...held].map(([slotId, organizationId]) => limits.release(organizationId, slotId)));
    },
  };
}

/** `held` are the slots to renew. */
function openWork(
  { ledger, limits, clock, log, metrics, charged, refusals }: MeterParts & { refusals: Refusals },
  visit: Visit,
  held: Map<string, string>,
): Work {
  const { id, principal, bucket, headers } = visit;
  const { organizationId } = principal;
  const begunMs = clock.now();
  let own: Limits | null = null;
  let notes: Notes = {};
  let firstByteMs: number | null = null;
  const paid = { micros: 0, byModel: new Map<string, { micros: number; quantity: number }>() };
  let attempts = 0;
  let ended = false;
  let isNoted = false;
  metrics.count("loquat_requests_total");

  const ask = (limit: Limits, costs: Partial<Record<BucketName, number>>, slotMax: number | null) =>
    askLimits(limits, {
      organizationId,
      now: clock.now(),
      slot: slotMax === null ? null : { id, max: slotMax },
      own: limit,
      costs,
      headers,
    });

  function logAs(status: number, errorCode: string | null): RequestLog {
    return rowOf(visit, {
      ...notes,
      createdAt: Math.floor(begunMs / 1000),
      durationMs: clock.now() - begunMs,
      firstByteMs,
      status,
      errorCode,
      costMicros: paid.micros,
    });
  }

  /** An id of its own for every attempt: what failed is never booked again. */
  function chargeFor({ model, priceMicros, quantity }: Consumed): Charge {
    const before = paid.byModel.get(model) ?? { micros: 0, quantity: 0 };
    const { keyId, projectId, environment } = principal;
    return {
      id: `${id}.${attempts++}`,
      organizationId,
      projectId,
      keyId,
      environment,
      requestId: id,
      endpoint: visit.endpoint,
      model,
      unit: bucket === "characters" ? "character" : "second",
      quantity: quantity - before.quantity,
      priceMicros,
      costMicros: Math.max(0, costOf(quantity, priceMicros) - before.micros), // a price that falls gives nothing back
      createdAt: unixSeconds(clock),
    };
  }

  /** The request as it stands once it is charged. */
  const logOf = ({ costMicros }: Charge): RequestLog => ({
    ...logAs(visit.method === "WS" ? 101 : 200, null),
    costMicros: paid.micros + costMicros,
  });

  function settled({ model, quantity }: Consumed, { costMicros }: Charge): void {
    const before = paid.byModel.get(model)?.micros ?? 0;
    paid.byModel.set(model, { micros: before + costMicros, quantity });
    paid.micros += costMicros;
    charged(organizationId);
  }

  function book(row: RequestLog): void {
    ledger.log(row).catch((cause: unknown) => {
      metrics.count("loquat_ledger_log_failures_total");
      log.warn("a request could not be logged", { id, cause });
    });
  }

  return {
    async admit() {
      const credit = await ledger.credit(organizationId);
      own = limitsOf(credit.purchasedMicros, principal.limitOverrides);
      held.set(id, organizationId);
      await ask(own, { requests: 1, [bucket]: 0 }, own.concurrentRequests);
      checkCredit(credit);
    },
    async take(cost) {
      if (own) await ask(own, { [bucket]: cost }, null);
    },
    note(more) {
      notes = { ...notes, ...more };
    },
    async post(consumed) {
      const charge = chargeFor(consumed);
      try {
        await ledger.charge(charge, logOf(charge));
      } catch (error) {
        ledger.cancel(charge).catch((cause: unknown) => {
          log.error("a charge that failed could not be taken back", { id: charge.id, cause });
        });
        throw error;
      }
      settled(consumed, charge);
    },
    async owe(consumed) {
      const charge = chargeFor(consumed);
      const booked = ledger.owe(charge, logOf(charge));
      settled(consumed, charge);
      await booked;
    },
    checkCredit: async () => checkCredit(await ledger.credit(organizationId)),
    noteProgress(status) {
      isNoted = true;
      book(logAs(status, null));
    },
    started() {
      firstByteMs ??= clock.now() - begunMs;
    },
    end(status, errorCode = null) {
      if (ended) return;
      ended = true;
      if (held.delete(id)) void limits.release(organizationId, id);
      const isRefused = status >= 400 && status < 499 && attempts === 0 && !isNoted;
      if (isRefused && !refusals.mayLog(organizationId)) {
        metrics.count("loquat_unlogged_refusals_total");
        return;
      }
      const row = logAs(status, errorCode);
      const { ip: _ip, userAgent: _userAgent, ...told } = row;
      log.info("request", told);
      book(row);
    },
  };
}

type Known = Notes &
  Pick<RequestLog, "createdAt" | "durationMs" | "firstByteMs" | "status" | "errorCode" | "costMicros">;

function rowOf({ id, principal, endpoint, method, ip, userAgent }: Visit, known: Known): RequestLog {
  const { organizationId, projectId, keyId, environment } = principal;
  return {
    model: null,
    voice: null,
    stream: false,
    responseFormat: null,
    characters: null,
    audioSeconds: null,
    ...known,
    id,
    endpoint,
    method,
    organizationId,
    projectId,
    keyId,
    environment,
    ip,
    userAgent,
  };
}
