/** The charges of one request, and how they are written to the ledger: before its caller has the result, or after. */
import { type Clock, unixSeconds } from "../clock.ts";
import { type Charge, costOf, type UsageEvent } from "../ledger/booking/burn-down.ts";
import type { NewRefund } from "../ledger/booking/refund.ts";
import type { RequestLog } from "../ledger/booking/write.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Log } from "../log/log.ts";
import { chargedPrice } from "../plans.ts";
import { budgetsAt } from "../restrictions.ts";
import { Replays } from "./replays.ts";
import type { RequestContext } from "./request-log.ts";

type PostingDeps = {
  ledger: Ledger;
  clock: Clock;
  log: Log;
  /** Called after every charge that was deducted. */
  charged: (organizationId: string) => void;
};

/**
 * Of a request's charges: an `early` one is followed by others, and the `last` one pays for the rest. `left`: the client has
 * left; the rest is paid for by the request that takes this one over, if it is sent again.
 */
export type Part = "early" | "last" | "left";

/** `rowWith`: the request's row as it reads once a charge is written with it. `booked`: called after every charge. */
type PostingOptions = {
  context: RequestContext;
  rowWith: (charge: Charge) => RequestLog;
  booked: (charge: Charge) => void;
};

export class Posting {
  readonly replays: Replays;
  readonly #deps: PostingDeps;
  readonly #options: PostingOptions;
  readonly #charges: Charges;
  /** The row as it is stored, or will be before what is written next. */
  stored: RequestLog | null = null;
  #underWay = 0;

  constructor(deps: PostingDeps, options: PostingOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#charges = new Charges(options.context);
    this.replays = new Replays(deps.ledger, options.context);
  }

  /** Whether no charge was attempted. */
  get isEmpty(): boolean {
    return this.#charges.isEmpty;
  }

  get paidMicros(): number {
    return this.#charges.paidMicros;
  }

  /** Whether a charge is being written. */
  get isCharging(): boolean {
    return this.#underWay > 0;
  }

  async post(consumed: Consumed, part: Part): Promise<void> {
    if (part !== "last" && this.#isPaid(consumed, part)) return;
    const { requestId } = this.replays;
    const charge = this.#charges.next(consumed, { createdAt: unixSeconds(this.#deps.clock), requestId });
    const event = await this.#write(charge, part);
    if (event.requestId === charge.requestId) return this.#record(consumed, charge);
    this.#charges.tookOver(consumed, event);
    return this.post(consumed, part);
  }

  /** Where a client has left, an empty charge says so to the request that takes its own over. */
  #isPaid(consumed: Consumed, part: Part): boolean {
    return this.#charges.covers(consumed) && (part === "early" || !this.replays.charged());
  }

  /** The event is another's where the request whose work this one took over had booked it. */
  async #write(charge: Charge, part: Part): Promise<UsageEvent> {
    const { ledger, log } = this.#deps;
    const row = this.#options.rowWith(charge);
    const replayable = this.replays.charged(part === "left");
    this.#underWay++;
    try {
      const event = await ledger.charge(charge, row, part === "early" ? undefined : replayable);
      if (event.requestId !== charge.requestId) return event;
      if (part !== "early") this.replays.settled();
      this.stored = row;
      return event;
    } catch (error) {
      ledger.cancel(charge, replayable).catch((cause: unknown) => {
        log.error("charge_cancel_failed", { id: charge.id, cause });
      });
      throw error;
    } finally {
      this.#underWay--;
    }
  }

  /** Resolves once the charge is durable; it counts from now on. */
  owe(consumed: Consumed): Promise<void> {
    const charge = this.#charges.next(consumed, { createdAt: unixSeconds(this.#deps.clock) });
    const written = this.#deps.ledger.owe(charge, this.#options.rowWith(charge));
    this.#record(consumed, charge);
    return written;
  }

  refund(delivered: Consumed): void {
    const refund = this.#charges.refund(delivered);
    if (refund === null) return;
    this.#deps.ledger.refund(refund, this.replays.charged()).catch((cause: unknown) => {
      this.#deps.log.error("charge_refund_failed", { id: refund.chargeId, cause });
    });
  }

  #record(consumed: Consumed, charge: Charge): void {
    this.#charges.record(consumed, charge);
    this.#options.booked(charge);
    if (charge.plan === "prepaid") this.#deps.charged(charge.organizationId);
  }
}

/**
 * Everything consumed of a model so far, including what has been charged already. `priceMicros`: the list price. `unit`: absent:
 * that of the request's kind.
 */
export type Consumed = { model: string; unit?: UsageEvent["unit"]; priceMicros: number; quantity: number };

/** `last`: the charge that was booked last, unless it was refunded. */
type Paid = { micros: number; quantity: number; last: Charge | null };
const NOTHING: Paid = { micros: 0, quantity: 0, last: null };

/** The charges of one request: each pays for what was consumed since the one before, model by model. */
export class Charges {
  readonly #context: RequestContext;
  readonly #paid = new Map<string, Paid>();
  /** Of that, what another request paid whose work this one took over. */
  #othersMicros = 0;
  #attempts = 0;

  constructor(context: RequestContext) {
    this.#context = context;
  }

  /** Whether a charge was attempted, successfully or not. */
  get isEmpty(): boolean {
    return this.#attempts === 0;
  }

  get paidMicros(): number {
    let micros = -this.#othersMicros;
    for (const paid of this.#paid.values()) micros += paid.micros;
    return micros;
  }

  /** Whether nothing is left to pay. */
  covers(consumed: Consumed): boolean {
    return consumed.quantity <= this.#paidOf(consumed).quantity;
  }

  #unitOf({ unit }: Pick<Consumed, "unit">): UsageEvent["unit"] {
    return unit ?? (this.#context.bucket === "characters" ? "character" : "second");
  }

  #keyOf(consumed: Pick<Consumed, "model" | "unit">): string {
    return `${this.#unitOf(consumed)} ${consumed.model}`;
  }

  #paidOf(consumed: Pick<Consumed, "model" | "unit">): Paid {
    return this.#paid.get(this.#keyOf(consumed)) ?? NOTHING;
  }

  #priceOf({ priceMicros }: Consumed): number {
    return chargedPrice(priceMicros, this.#context.principal.priceFactor);
  }

  /**
   * Each attempt has its own id, so that one that failed is never applied later. It is made of `requestId`: an earlier
   * request whose charge may have been booked before it was lost.
   */
  next(
    consumed: Consumed,
    { createdAt, requestId = this.#context.id }: { createdAt: number; requestId?: string },
  ): Charge {
    const { id, principal, endpoint } = this.#context;
    const { plan, organizationId, projectId, keyId, environment, caps } = principal;
    const { model, quantity } = consumed;
    const priceMicros = this.#priceOf(consumed);
    const paid = this.#paidOf(consumed);
    return {
      id: `${requestId}.${this.#attempts++}`,
      plan,
      organizationId,
      projectId,
      keyId,
      environment,
      requestId: id,
      endpoint,
      model,
      unit: this.#unitOf(consumed),
      quantity: Math.max(0, quantity - paid.quantity),
      priceMicros,
      costMicros: Math.max(0, costOf(quantity, priceMicros) - paid.micros), // a lower price refunds nothing
      createdAt,
      ...(caps.length > 0 && { budgets: budgetsAt(caps, createdAt).periods }),
    };
  }

  /** A charge that the ledger has accepted. */
  record(consumed: Consumed, charge: Charge): void {
    const paid = this.#paidOf(consumed);
    const micros = paid.micros + charge.costMicros;
    const quantity = Math.max(paid.quantity, consumed.quantity);
    this.#paid.set(this.#keyOf(consumed), { micros, quantity, last: charge });
  }

  /** A charge of the request whose work this one took over. */
  tookOver(consumed: Consumed, { costMicros, quantity }: Pick<Charge, "costMicros" | "quantity">): void {
    const paid = this.#paidOf(consumed);
    const micros = paid.micros + costMicros;
    this.#paid.set(this.#keyOf(consumed), { micros, quantity: paid.quantity + quantity, last: paid.last });
    this.#othersMicros += costMicros;
  }

  /** What the last charge of a model took beyond what was delivered of it, once; null if nothing. */
  refund(consumed: Consumed): NewRefund | null {
    const { quantity: delivered } = consumed;
    const { micros, quantity, last } = this.#paidOf(consumed);
    if (last === null || delivered >= quantity) return null;
    const returned = Math.min(quantity - delivered, last.quantity);
    const costMicros = Math.min(
      Math.max(0, micros - costOf(delivered, this.#priceOf(consumed))),
      last.costMicros,
    );
    const left = { micros: micros - costMicros, quantity: quantity - returned, last: null };
    this.#paid.set(this.#keyOf(consumed), left);
    const { id: chargeId, organizationId, requestId } = last;
    return { chargeId, organizationId, requestId, quantity: returned, costMicros };
  }
}
