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
    return [...this.#paid.values()].reduce((sum, { micros }) => sum + micros, 0) - this.#othersMicros;
  }

  /** Whether nothing is left to pay. */
  covers({ model, quantity }: Consumed): boolean {
    return quantity <= (this.#paid.get(model) ?? NOTHING).quantity;
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
      quantity: Math.max(0, quantity - paid.quantity),
      priceMicros,
      costMicros: Math.max(0, costOf(quantity, priceMicros) - paid.micros), // a lower price refunds nothing
      createdAt,
    };
  }

  /** A charge that the ledger has accepted. */
  record({ model, quantity }: Consumed, charge: Charge): void {
    const paid = this.#paid.get(model) ?? NOTHING;
    const micros = paid.micros + charge.costMicros;
    this.#paid.set(model, { micros, quantity: Math.max(paid.quantity, quantity), last: charge });
  }

  /** A charge of the request whose work this one took over. */
  tookOver({ model }: Consumed, { costMicros, quantity }: Pick<Charge, "costMicros" | "quantity">): void {
    const paid = this.#paid.get(model) ?? NOTHING;
    const micros = paid.micros + costMicros;
    this.#paid.set(model, { micros, quantity: paid.quantity + quantity, last: paid.last });
    this.#othersMicros += costMicros;
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
