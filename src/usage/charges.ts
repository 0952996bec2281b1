/** The charges of one request: each pays for what was consumed since the one before, model by model. */
import { type Charge, costOf } from "../ledger/booking/burn-down.ts";
import type { NewRefund } from "../ledger/booking/refund.ts";
import type { RequestContext } from "./request-log.ts";

/** Everything consumed of a model so far, including what has been charged already. */
export type Consumed = { model: string; priceMicros: number; quantity: number };

/** `last`: the charge that was booked last, unless it was refunded. */
type Paid = { micros: number; quantity: number; last: Charge | null };
const NOTHING: Paid = { micros: 0, quantity: 0, last: null };

export class Charges {
  readonly #context: RequestContext;
  readonly #paid = new Map<string, Paid>();
  #attempts = 0;

  constructor(context: RequestContext) {
    this.#context = context;
  }

  /** Whether a charge was attempted, successfully or not. */
  get isEmpty(): boolean {
    return this.#attempts === 0;
  }

  get paidMicros(): number {
    return [...this.#paid.values()].reduce((sum, { micros }) => sum + micros, 0);
  }

  /**
   * Each attempt has its own id, so that one that failed is never applied later. It is made of `requestId`: an earlier
   * request whose charge may have been booked before it was lost.
   */
  next(
    { model, priceMicros, quantity }: Consumed,
    { createdAt, requestId = this.#context.id }: { createdAt: number; requestId?: string },
  ): Charge {
    const { id, principal, endpoint, bucket } = this.#context;
    const { plan, organizationId, projectId, keyId, environment } = principal;
    const paid = this.#paid.get(model) ?? NOTHING;
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
      unit: bucket === "characters" ? "character" : "second",
      quantity: quantity - paid.quantity,
      priceMicros,
      costMicros: Math.max(0, costOf(quantity, priceMicros) - paid.micros), // a lower price refunds nothing
      createdAt,
    };
  }

  /** A charge that the ledger has accepted. */
  record({ model, quantity }: Consumed, charge: Charge): void {
    const { micros } = this.#paid.get(model) ?? NOTHING;
    this.#paid.set(model, { micros: micros + charge.costMicros, quantity, last: charge });
  }

  /** What the last charge of a model took beyond what was delivered of it, once; null if nothing. */
  refund({ model, priceMicros, quantity: delivered }: Consumed): NewRefund | null {
    const { micros, quantity, last } = this.#paid.get(model) ?? NOTHING;
    if (last === null || delivered >= quantity) return null;
    const returned = Math.min(quantity - delivered, last.quantity);
    const costMicros = Math.min(Math.max(0, micros - costOf(delivered, priceMicros)), last.costMicros);
    this.#paid.set(model, { micros: micros - costMicros, quantity: quantity - returned, last: null });
    const { id: chargeId, organizationId, requestId } = last;
    return { chargeId, organizationId, requestId, quantity: returned, costMicros };
  }
}
