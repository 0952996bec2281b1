/**
 * What a live session costs while it goes on: its seconds leave the bucket one by one, and are charged five by five.
 *
 *   received ──1 s──> taken (429)        billable ──5 s──> posted ──> is there credit for more? (402)
 */
import type { Consumed } from "./charges.ts";
import type { Work } from "./work.ts";

const TAKE_SECONDS = 1;
const CHARGE_SECONDS = 5;

/** Whose seconds they are, and the price of a million. */
type Price = { model: string; priceMicros: number };

export class StreamBilling {
  readonly #work: Work;
  #price: Price;
  /** What each model was charged for: one may be chosen again. */
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

  /** Charges what is due, one charge at a time. `refused` is told where nothing more may be used up. */
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
    this.#settle(due, seconds);
  }

  /** Of the model, all of it. */
  #due(seconds: number): Consumed {
    const quantity = (this.#byModel.get(this.#price.model) ?? 0) + seconds - this.#charged;
    return { ...this.#price, quantity };
  }

  #settle({ model, quantity }: Consumed, seconds: number): void {
    this.#byModel.set(model, quantity);
    this.#charged = seconds;
  }

  /** From here on another model's price counts. */
  async change(price: Price, billableSeconds: number): Promise<void> {
    if (price.model === this.#price.model) return;
    await this.#charging;
    await this.#post(billableSeconds);
    this.#price = price;
  }

  /** Charges all of it, for all of it was heard: where the ledger cannot be reached now, later. */
  async finish(billableSeconds: number): Promise<void> {
    await this.#charging;
    if (billableSeconds <= this.#charged) return;
    this.#work.note({ audioSeconds: billableSeconds });
    const due = this.#due(billableSeconds);
    this.#settle(due, billableSeconds);
    await this.#work.owe(due);
  }
}
