/** The charges of one request: each pays for what was consumed since the one before, model by model. */
import { type Charge, costOf } from "../ledger/booking/burn-down.ts";
import type { RequestContext } from "./request-log.ts";

/** Everything consumed of a model so far, including what has been charged already. */
export type Consumed = { model: string; priceMicros: number; quantity: number };

type Paid = { micros: number; quantity: number };
const NOTHING: Paid = { micros: 0, quantity: 0 };

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

  /** Each attempt has its own id, so that one that failed is never applied later. */
  next({ model, priceMicros, quantity }: Consumed, createdAt: number): Charge {
    const { id, principal, endpoint, bucket } = this.#context;
    const { plan, organizationId, projectId, keyId, environment } = principal;
    const paid = this.#paid.get(model) ?? NOTHING;
    return {
      id: `${id}.${this.#attempts++}`,
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
  record({ model, quantity }: Consumed, { costMicros }: Charge): void {
    const { micros } = this.#paid.get(model) ?? NOTHING;
    this.#paid.set(model, { micros: micros + costMicros, quantity });
  }
}
