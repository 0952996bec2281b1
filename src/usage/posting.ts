/** Writes the charges of one request to the ledger: before its caller has the result, or after. */
import { type Clock, unixSeconds } from "../clock.ts";
import type { Charge } from "../ledger/booking/burn-down.ts";
import type { RequestLog } from "../ledger/booking/write.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Log } from "../log.ts";
import { Charges, type Consumed } from "./charges.ts";
import { Replays } from "./replays.ts";
import type { RequestContext } from "./request-log.ts";

type PostingDeps = {
  ledger: Ledger;
  clock: Clock;
  log: Log;
  /** Called after every charge that was deducted. */
  charged: (organizationId: string) => void;
};

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

  async post(consumed: Consumed, isLast: boolean): Promise<void> {
    const { ledger, log, clock } = this.#deps;
    const { requestId } = this.replays;
    const charge = this.#charges.next(consumed, { createdAt: unixSeconds(clock), requestId });
    const row = this.#options.rowWith(charge);
    const replayable = this.replays.charged();
    this.#underWay++;
    try {
      const event = await ledger.charge(charge, row, isLast ? replayable : undefined);
      if (isLast) this.replays.settled();
      if (event.requestId !== charge.requestId) return; // booked by the request whose work this one took over
      this.stored = row;
    } catch (error) {
      ledger.cancel(charge, replayable).catch((cause: unknown) => {
        log.error("charge_cancel_failed", { id: charge.id, cause });
      });
      throw error;
    } finally {
      this.#underWay--;
    }
    this.#record(consumed, charge);
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
