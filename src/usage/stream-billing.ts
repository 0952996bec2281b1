/**
 * Bills a realtime session while it runs: takes points for every second, and charges every five seconds.
 *
 *   received ──1 s──> take (429)        billable ──5 s──> post ──> check credit (402)
 */
import type { Consumed } from "./posting.ts";
import type { Work } from "./work.ts";

const TAKE_SECONDS = 1;
const CHARGE_SECONDS = 5;

/** A model and the price of a million of its seconds. */
type Price = { model: string; priceMicros: number };

export class StreamBilling {
  readonly #work: Work;
  #price: Price;
  /** The seconds charged per model: a session may return to an earlier one. */
  readonly #byModel = new Map<string, number>();
  #taken = 0;
  #charged = 0;
  #charging: Promise<void> = Promise.resolve();
  #isCharging = false;

  constructor(work: Work, price: Price) {
    this.#work = work;
    this.#price = price;
  }

  async take(receivedSeconds: number): Promise<void> {
    const due = receivedSeconds - this.#taken;
    if (due < TAKE_SECONDS) return;
    this.#taken = receivedSeconds;
    await this.#work.take(due);
  }

  /** Charges what is due, one charge at a time. Calls `refused` if the session must stop. */
  charge(billableSeconds: number, refused: (reason: unknown) => void): void {
    if (this.#isCharging || billableSeconds - this.#charged < CHARGE_SECONDS) return;
    this.#isCharging = true;
    this.#charging = this.#post(billableSeconds)
      .then(() => this.#work.checkCredit())
      .catch(refused)
      .finally(() => {
        this.#isCharging = false;
      });
  }

  async #post(seconds: number): Promise<void> {
    if (seconds <= this.#charged) return;
    this.#work.note({ audioSeconds: seconds });
    const due = this.#due(seconds);
    await this.#work.post(due);
    this.#record(due, seconds);
  }

  /** Everything consumed of the current model, including what was charged before. */
  #due(seconds: number): Consumed {
    const quantity = (this.#byModel.get(this.#price.model) ?? 0) + seconds - this.#charged;
    return { ...this.#price, quantity };
  }

  #record({ model, quantity }: Consumed, seconds: number): void {
    this.#byModel.set(model, quantity);
    this.#charged = seconds;
  }

  /** Switches to another model and its price. */
  async change(price: Price, billableSeconds: number): Promise<void> {
    if (price.model === this.#price.model) return;
    await this.#charging;
    await this.#post(billableSeconds);
    this.#price = price;
  }

  /** Charges the rest. All of it was transcribed, so if the ledger is unavailable it is charged later. */
  async finish(billableSeconds: number): Promise<void> {
    await this.#charging;
    if (billableSeconds <= this.#charged) return;
    this.#work.note({ audioSeconds: billableSeconds });
    const due = this.#due(billableSeconds);
    this.#record(due, billableSeconds);
    await this.#work.owe(due);
  }
}
