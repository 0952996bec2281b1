/** One metered request under way: its slot, its limits, its charges, and its row in the request log. */
import { type Clock, unixSeconds } from "../clock.ts";
import type { Charge } from "../ledger/booking/burn-down.ts";
import type { RequestLog } from "../ledger/booking/write.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { BucketName, LimitStore } from "../limits/limits.ts";
import type { Limits } from "../limits/tiers.ts";
import type { Log, RequestLines } from "../log.ts";
import type { Metrics } from "../metrics.ts";
import { inSpan, type Trace, traceFields } from "../tracing.ts";
import type { Activity } from "./activity.ts";
import { askLimits, checkCredit, isNoSlot, noSlot, type Remedies } from "./admission.ts";
import { Charges, type Consumed } from "./charges.ts";
import type { Refusals } from "./refusals.ts";
import { hasLine, logRow, type Notes, type RequestContext } from "./request-log.ts";
import type { SlotQueue } from "./slot-queue.ts";
import { type TermsDeps, termsOf } from "./terms.ts";

export type Work = {
  /** Null where the request is not traced. */
  trace: Trace | null;
  /** Takes a point of the request bucket and a slot, then checks the credit. */
  admit(): Promise<void>;
  /** Takes points of the bucket that the request's work counts in. */
  take(cost: number): Promise<void>;
  note(notes: Notes): void;
  /** The charge is durable when this resolves; only then may the caller have the result. A failed one charges nothing. */
  post(consumed: Consumed): Promise<void>;
  /** Whether a charge is being written. */
  isCharging(): boolean;
  /** Charges what the caller has already: where the ledger is unavailable, as soon as it is back. */
  owe(consumed: Consumed): Promise<void>;
  /**
   * Gives back what the last charge took beyond this, because the server failed to deliver the rest: where the ledger is
   * unavailable, as soon as it is back.
   */
  refund(delivered: Consumed): void;
  /** Checks the credit again, for work that takes long. Throws as `admit` does. */
  checkCredit(): Promise<void>;
  /** Writes the request's row before its end, for work that takes long. */
  noteProgress(status: number): void;
  /** The first byte of audio or text is on its way. */
  started(): void;
  end(status: number, errorCode?: string | null): void;
};

/** The slots in use, by request: the organization of each. */
export type Slots = Map<string, string>;

export type WorkDeps = TermsDeps & {
  ledger: Ledger;
  limits: LimitStore;
  clock: Clock;
  log: Log;
  metrics: Metrics;
  /** Which requests have a line in the log. */
  requestLines: RequestLines;
  activity: Activity;
  remedies: Remedies;
  /** Called after every charge that was deducted. */
  charged: (organizationId: string) => void;
  refusals: Refusals;
  slots: Slots;
  /** Where requests of unmetered organizations wait for a slot. */
  slotQueue: SlotQueue;
};

export class MeteredWork implements Work {
  readonly #deps: WorkDeps;
  readonly #context: RequestContext;
  readonly #charges: Charges;
  readonly #begunMs: number;
  #limits: Limits | null = null;
  readonly #notes: Notes = {};
  #firstByteMs: number | null = null;
  #hasRow = false;
  /** The row as it is stored, or will be before what is written next. */
  #stored: RequestLog | null = null;
  #chargesUnderWay = 0;
  #isEnded = false;

  constructor(deps: WorkDeps, context: RequestContext) {
    this.#deps = deps;
    this.#context = context;
    this.#charges = new Charges(context);
    this.#begunMs = deps.clock.now();
    deps.metrics.count("loquat_requests_total");
    if (this.#isSession) deps.activity.sessionBegan();
  }

  get #isSession(): boolean {
    return this.#context.method === "WS";
  }

  get trace(): Trace | null {
    return this.#context.trace ?? null;
  }

  admit(): Promise<void> {
    return inSpan(this.trace, ["admit"], () => this.#admit());
  }

  async #admit(): Promise<void> {
    const { id, principal, bucket } = this.#context;
    const { allowed, credit } = await termsOf(this.#deps, principal);
    this.#limits = allowed;
    this.#deps.slots.set(id, principal.organizationId);
    const enter = () =>
      this.#ask(allowed, { requests: 1, [bucket]: 0 }, { id, max: allowed.concurrentRequests });
    if (principal.plan === "prepaid") await enter();
    else await this.#enterInTurn(allowed, enter);
    if (credit) checkCredit(credit, principal.organizationId, this.#deps.remedies);
  }

  /** Waits a short while for a slot, behind the organization's earlier requests. */
  async #enterInTurn(allowed: Limits, enter: () => Promise<void>): Promise<void> {
    const { slotQueue, remedies } = this.#deps;
    const { principal, signal = new AbortController().signal } = this.#context;
    const { organizationId } = principal;
    const takeSlot = () =>
      enter().then(
        () => true,
        (error: unknown) => {
          if (isNoSlot(error)) return false;
          throw error;
        },
      );
    if (!slotQueue.isWaiting(organizationId) && (await takeSlot())) return;
    if (await slotQueue.wait(organizationId, { takeSlot, signal })) return;
    throw noSlot(allowed, () => remedies.limits(organizationId));
  }

  async take(cost: number): Promise<void> {
    if (this.#limits) await this.#ask(this.#limits, { [this.#context.bucket]: cost }, null);
  }

  #ask(
    allowed: Limits,
    costs: Partial<Record<BucketName, number>>,
    slot: { id: string; max: number } | null,
  ): Promise<void> {
    const { limits, clock, remedies } = this.#deps;
    const { principal, decided } = this.#context;
    const { organizationId } = principal;
    return askLimits(limits, { organizationId, now: clock.now(), slot, allowed, costs, decided, remedies });
  }

  note(notes: Notes): void {
    Object.assign(this.#notes, notes);
  }

  post(consumed: Consumed): Promise<void> {
    return inSpan(this.trace, ["charge"], () => this.#post(consumed));
  }

  async #post(consumed: Consumed): Promise<void> {
    const { ledger, log, clock } = this.#deps;
    const charge = this.#charges.next(consumed, unixSeconds(clock));
    const row = this.#rowWith(charge);
    this.#chargesUnderWay++;
    try {
      await ledger.charge(charge, row);
      this.#stored = row;
    } catch (error) {
      ledger.cancel(charge).catch((cause: unknown) => {
        log.error("charge_cancel_failed", { id: charge.id, cause });
      });
      throw error;
    } finally {
      this.#chargesUnderWay--;
    }
    this.#record(consumed, charge);
  }

  isCharging(): boolean {
    return this.#chargesUnderWay > 0;
  }

  async owe(consumed: Consumed): Promise<void> {
    const charge = this.#charges.next(consumed, unixSeconds(this.#deps.clock));
    const isWritten = inSpan(this.trace, ["charge"], () =>
      this.#deps.ledger.owe(charge, this.#rowWith(charge)),
    );
    this.#record(consumed, charge);
    await isWritten;
  }

  refund(delivered: Consumed): void {
    const refund = this.#charges.refund(delivered);
    if (refund === null) return;
    this.#deps.ledger.refund(refund).catch((cause: unknown) => {
      this.#deps.log.error("charge_refund_failed", { id: refund.chargeId, cause });
    });
  }

  #record(consumed: Consumed, charge: Charge): void {
    this.#charges.record(consumed, charge);
    if (charge.unit === "second") this.#countAudio("in", charge.model, charge.quantity);
    if (charge.plan === "prepaid") this.#deps.charged(charge.organizationId);
  }

  async checkCredit(): Promise<void> {
    const { plan, organizationId } = this.#context.principal;
    const { ledger, remedies } = this.#deps;
    if (plan === "prepaid") checkCredit(await ledger.credit(organizationId), organizationId, remedies);
  }

  noteProgress(status: number): void {
    this.#hasRow = true;
    this.#write(this.#row(status, null));
  }

  started(): void {
    this.#firstByteMs ??= this.#deps.clock.now() - this.#begunMs;
  }

  end(status: number, errorCode: string | null = null): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    const { slots, limits, slotQueue, refusals, metrics, activity, log } = this.#deps;
    activity.ended({ status, firstByteMs: this.#firstByteMs, isSession: this.#isSession });
    this.#measure(status);
    this.#endTrace(status, errorCode);
    const { model, audioSeconds } = this.#notes;
    if (this.#context.bucket === "characters") this.#countAudio("out", model ?? "", audioSeconds ?? 0);
    const { id, principal, ended } = this.#context;
    const { organizationId } = principal;
    ended?.();
    if (slots.delete(id))
      void limits.release(organizationId, id).then(() => slotQueue.released(organizationId));
    const isRefused = status >= 400 && status < 499 && this.#charges.isEmpty && !this.#hasRow;
    if (isRefused && !refusals.mayLog(organizationId)) {
      metrics.count("loquat_unlogged_refusals_total");
      return;
    }
    const row = this.#row(status, errorCode);
    if (hasLine(this.#deps.requestLines, row)) {
      const { ip: _ip, userAgent: _userAgent, errorMessage: _message, ...fields } = row; // what clients sent stays out
      log.info("request", { ...fields, ...traceFields(this.trace) });
    }
    this.#write(row);
  }

  #measure(status: number): void {
    const { metrics, clock } = this.#deps;
    const { endpoint } = this.#context;
    const labels = { endpoint, http_response_status_code: String(status) };
    metrics.record("loquat_request_duration_seconds", (clock.now() - this.#begunMs) / 1000, labels);
    if (this.#firstByteMs === null || this.#isSession) return;
    const model = this.#notes.model ?? "";
    metrics.record("loquat_time_to_first_output_seconds", this.#firstByteMs / 1000, { endpoint, model });
  }

  #countAudio(direction: "in" | "out", model: string, seconds: number): void {
    this.#deps.metrics.add("loquat_audio_seconds_total", seconds, { direction, model });
  }

  #endTrace(status: number, errorCode: string | null): void {
    if (this.trace === null) return;
    const { model, voice, responseFormat, audioSeconds } = this.#notes;
    this.trace.end(status, errorCode, {
      ...(model && { "gen_ai.request.model": model }),
      ...(voice && { "loquat.voice": voice }),
      ...(responseFormat && { "loquat.response_format": responseFormat }),
      ...(audioSeconds && { "loquat.audio_seconds": audioSeconds }),
    });
  }

  #write(row: RequestLog): void {
    const { ledger, metrics, log } = this.#deps;
    const stored = this.#stored;
    if (stored) this.#stored = row;
    ledger.log(row, stored).catch((cause: unknown) => {
      metrics.count("loquat_ledger_log_failures_total");
      log.warn("request_log_failed", { id: row.id, cause });
    });
  }

  #row(status: number, errorCode: string | null): RequestLog {
    return logRow(this.#context, {
      ...this.#notes,
      createdAt: Math.floor(this.#begunMs / 1000),
      durationMs: this.#deps.clock.now() - this.#begunMs,
      firstByteMs: this.#firstByteMs,
      status,
      errorCode,
      costMicros: this.#charges.paidMicros,
    });
  }

  /** The row as it reads once the charge is written with it. */
  #rowWith({ costMicros }: Charge): RequestLog {
    const row = this.#row(this.#isSession ? 101 : 200, null);
    return { ...row, costMicros: row.costMicros + costMicros };
  }
}
