/**
 * What a live session costs while it goes on: its seconds leave the bucket one by one, and are charged five by five.
 *
 *   received ──1 s──> taken (429)        billable ──5 s──> posted ──> is there credit for more? (402)
 */
import type { Work } from "./meter.ts";

const TAKE_SECONDS = 1;
const CHARGE_SECONDS = 5;

/** Whose seconds they are, and the price of a million. */
type Tariff = { model: string; priceMicros: number };

export class Fare {
  readonly #work: Work;
  #tariff: Tariff;
  /** What each model was charged for: one may be chosen again. */
  readonly #byModel = new Map<string, number>();
  #taken = 0;
  #charged = 0;
  #charging: Promise<void> = Promise.resolve();
  #isCharging = false;

  constructor(work: Work, tariff: Tariff) {
    this.#work = work;
    this.#tariff = tariff;
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
    const { model } = this.#tariff;
    const quantity = (this.#byModel.get(model) ?? 0) + seconds - this.#charged;
    await this.#work.post({ ...this.#tariff, quantity });
    this.#byModel.set(model, quantity);
    this.#charged = seconds;
    this.#work.note({ audioSeconds: seconds });
    this.#work.noteProgress(101);
  }

  /** From here on another model's price counts. */
  async change(tariff: Tariff, billableSeconds: number): Promise<void> {
    if (tariff.model === this.#tariff.model) return;
    await this.finish(billableSeconds);
    this.#tariff = tariff;
  }

  /** Charges all of it. */
  async finish(billableSeconds: number): Promise<void> {
    await this.#charging;
    await this.#post(billableSeconds);
  }
}
