/** One metered request under way: its slot, its limits, its charges, and its row in the request log. */
import { type Clock, unixSeconds } from "../clock.ts";
import { WAIT_MAX_MS } from "../errors.ts";
import type { Refused } from "../events/reached.ts";
import type { Charge } from "../ledger/booking/burn-down.ts";
import type { RequestLog } from "../ledger/booking/write.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { BucketName, LimitStore } from "../limits/limits.ts";
import type { Log, RequestLines } from "../log/log.ts";
import type { Metrics } from "../metrics/metrics.ts";
import type { Limits } from "../plans.ts";
import { checkAddress } from "../restrictions.ts";
import { inSpan, type Trace, traceFields } from "../tracing/tracing.ts";
import type { TransientMap, TransientSet } from "../transient.ts";
import type { Activity } from "./activity.ts";
import {
  allowedTo,
  askLimits,
  checkCredit,
  creditOf,
  isCertain,
  noSlot,
  type Remedies,
  slotIdOf,
  type TermsDeps,
} from "./admission.ts";
import type { Consumed } from "./posting.ts";
import { type Part, Posting } from "./posting.ts";
import type { Replays } from "./replays.ts";
import type { Refusals } from "./request-log.ts";
import { attributesOf, hasLine, lineOf, logRow, type Notes, type RequestContext } from "./request-log.ts";
import type { SlotQueue, SlotTimes } from "./slots.ts";

export type Work = {
  /** Null where the request is not traced. */
  trace: Trace | null;
  /** What it does about being sent again. */
  replays: Pick<Replays, "of" | "requestId" | "unlessReplay" | "settle">;
  /** Refuses where the disk is full; takes a point of the request bucket and a slot, then checks the credit. */
  admit(): Promise<void>;
  /** Recognizes a request that was sent before, by its content: a replay is not charged. Throws where it is refused. */
  identify(fingerprint: () => Promise<string>): Promise<void>;
  /** Takes points of a bucket; by default, of the one that the request's work counts in. */
  take(cost: number, bucket?: BucketName): Promise<void>;
  note(notes: Notes): void;
  /**
   * The charge is durable when this resolves; only then may the caller have the result. A failed one charges nothing.
   * `part`: by default the last.
   */
  post(consumed: Consumed, part?: Part): Promise<void>;
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

const BRIEF_MS = 3000; // of live speech, and where sessions hold all slots

/** The slots in use, by request: the organization of each. */
export type Slots = TransientMap<string, string>;

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
  /** Throws where the disk is full: a charge could not be written. */
  requireSpace: () => void;
  /** Called after every charge that was deducted. */
  charged: (organizationId: string) => void;
  /** Called after every request that ends with an error. */
  refused?: Refused;
  refusals: Refusals;
  slots: Slots;
  /** Where requests of unmetered organizations wait for a slot. */
  slotQueue: SlotQueue;
  slotTimes: SlotTimes;
  /** The requests under way. */
  running: TransientSet<Replays>;
};

export class MeteredWork implements Work {
  readonly #deps: WorkDeps;
  readonly #context: RequestContext;
  readonly #posting: Posting;
  readonly #begunMs: number;
  readonly #slotId: string;
  readonly replays: Replays;
  #limits: Limits | null = null;
  readonly #notes: Notes = {};
  #firstByteMs: number | null = null;
  #hasRow = false;
  #isEnded = false;

  constructor(deps: WorkDeps, context: RequestContext) {
    this.#deps = deps;
    this.#context = context;
    this.#posting = new Posting(deps, {
      context,
      rowWith: (charge) => this.#rowWith(charge),
      booked: ({ unit, model, quantity }) => {
        if (unit === "second") this.#countAudio("in", model, quantity);
      },
    });
    this.replays = this.#posting.replays;
    this.#slotId = slotIdOf(context.id, context.principal.caps);
    deps.running.add(this.replays);
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
    const { running, requireSpace, slots, slotQueue, slotTimes, remedies } = this.#deps;
    const { organizationId } = principal;
    if (principal.caps.length > 0) checkAddress(principal.caps, this.#context.ip);
    requireSpace();
    this.replays.enter(running);
    const credit = await creditOf(this.#deps, principal, "recent");
    const allowed = allowedTo(principal, credit, this.#deps);
    this.#limits = allowed;
    slots.set(this.#slotId, organizationId);
    const takeSlot = () => this.#ask(allowed, { requests: 1, [bucket]: 0 }, this.#slotId);
    const isIn = principal.plan === "prepaid" ? await takeSlot() : await this.#enterInTurn(takeSlot);
    if (!isIn) {
      const waitMs = slotTimes.waitMs(organizationId, slotQueue.waiting(organizationId));
      throw noSlot(allowed, { remedy: () => remedies.limits(principal), waitMs });
    }
    slotTimes.began(organizationId, id, this.#isSession);
    if (credit && !isCertain(credit, principal, unixSeconds(this.#deps.clock)))
      await this.replays.unlessReplay(() => checkCredit(principal, this.#deps));
  }

  async identify(fingerprint: () => Promise<string>): Promise<void> {
    if (!this.#context.repeating) return;
    const giveBack = async () => this.#limits && this.#ask(this.#limits, { requests: -1 }, null);
    await this.replays.identify(fingerprint, unixSeconds(this.#deps.clock), giveBack);
    this.replays.overtake(this.#deps.running);
  }

  /** Waits for a slot, behind the organization's earlier requests; briefly where no slot can be expected soon. */
  async #enterInTurn(takeSlot: () => boolean | Promise<boolean>): Promise<boolean> {
    const { slotQueue, slotTimes } = this.#deps;
    const { principal, signal = new AbortController().signal } = this.#context;
    const { organizationId } = principal;
    const ahead = slotQueue.waiting(organizationId);
    if (ahead === 0 && (await takeSlot())) return true;
    const isSoon =
      slotTimes.waitMs(organizationId, ahead) <= WAIT_MAX_MS && !slotTimes.areLive(organizationId);
    const limit = isSoon && !this.#isSession ? {} : { waitMs: BRIEF_MS };
    return slotQueue.wait(organizationId, { takeSlot, signal, ...limit });
  }

  async take(cost: number, bucket: BucketName = this.#context.bucket): Promise<void> {
    this.replays.refuseUnlessReplay();
    if (this.#limits) await this.#ask(this.#limits, { [bucket]: cost }, null);
  }

  #ask(allowed: Limits, costs: Partial<Record<BucketName, number>>, slotId: string | null) {
    const { limits, clock, remedies } = this.#deps;
    const { principal, decided } = this.#context;
    return askLimits(limits, { principal, now: clock.now(), slotId, allowed, costs, decided, remedies });
  }

  note(notes: Notes): void {
    Object.assign(this.#notes, notes);
  }

  async post(consumed: Consumed, part: Part = "last"): Promise<void> {
    this.replays.refuseUnlessReplay();
    const nowMs = this.#deps.clock.now();
    if (this.#posting.isEmpty && this.replays.mayBeCharged(this.#begunMs, nowMs))
      await this.replays.askAgain(nowMs);
    if (this.replays.of !== null) return;
    await inSpan(this.trace, ["charge"], () => this.#posting.post(consumed, part));
  }

  isCharging(): boolean {
    return this.#posting.isCharging;
  }

  owe(consumed: Consumed): Promise<void> {
    return inSpan(this.trace, ["charge"], () => this.#posting.owe(consumed));
  }

  refund(delivered: Consumed): void {
    this.#posting.refund(delivered);
  }

  async checkCredit(): Promise<void> {
    await checkCredit(this.#context.principal, this.#deps);
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
    const { running, slots, limits, slotQueue, slotTimes, refusals, metrics, activity, log } = this.#deps;
    activity.ended({ status, firstByteMs: this.#firstByteMs, isSession: this.#isSession });
    this.#measure(status);
    this.trace?.end(status, errorCode, attributesOf(this.#notes));
    const { model, audioSeconds } = this.#notes;
    if (this.#context.bucket === "characters") this.#countAudio("out", model ?? "", audioSeconds ?? 0);
    const { id, principal, ended } = this.#context;
    const { organizationId } = principal;
    ended?.();
    running.delete(this.replays);
    if (this.replays.isRunning) this.replays.abandon().catch(() => {}); // its lease ends by itself
    slotTimes.ended(organizationId, id, status < 400);
    if (slots.delete(this.#slotId))
      void limits.release(organizationId, this.#slotId).then(() => slotQueue.released(organizationId));
    if (errorCode !== null) this.#deps.refused?.(principal, errorCode);
    const isRefused = status >= 400 && status < 499 && this.#posting.isEmpty && !this.#hasRow;
    if (isRefused && !refusals.mayLog(organizationId)) {
      metrics.count("loquat_unlogged_refusals_total");
      return;
    }
    const row = this.#row(status, errorCode);
    if (hasLine(this.#deps.requestLines, row)) {
      log.info("request", { ...lineOf(row), ...traceFields(this.trace) });
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

  #write(row: RequestLog): void {
    const { ledger, metrics, log } = this.#deps;
    const { stored } = this.#posting;
    if (stored) this.#posting.stored = row;
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
      costMicros: this.#posting.paidMicros,
      replayOf: this.replays.of,
    });
  }

  /** The row as it reads once the charge is written with it. */
  #rowWith({ costMicros }: Charge): RequestLog {
    const row = this.#row(this.#isSession ? 101 : 200, null);
    return { ...row, costMicros: row.costMicros + costMicros };
  }
}
