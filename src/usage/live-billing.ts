/**
 * Bills a live session while it runs: its seconds, the texts that it speaks, the responses of a conversation, and their requests.
 */

import type { Consumed } from "./posting.ts";
import type { Work } from "./work.ts";

const TAKE_SECONDS = 1;
const CHARGE_SECONDS = 5;

/** A model and the price of a million of its seconds. */
type Price = { model: string; priceMicros: number };

/**
 * Bills a realtime session while it runs: takes points for every second, and charges every five seconds.
 *
 *   received ──1 s──> take (429)        billable ──5 s──> post ──> check credit (402)
 */
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

  take(receivedSeconds: number): Promise<void> | undefined {
    const due = receivedSeconds - this.#taken;
    if (due < TAKE_SECONDS) return undefined;
    this.#taken = receivedSeconds;
    return this.#work.take(due);
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

/** A model and the price of a million of its characters. */
export type SpeechPrice = { model: string; priceMicros: number };

type Billed = Pick<Work, "take" | "post" | "refund" | "note" | "checkCredit">;

/**
 * Bills the speech of a session, text by text: a text is paid for before its first byte is sent, and what the server does not
 * deliver is given back.
 *
 *   take (429) ─> pay ─> first byte … last byte          at most one text is paid for and not wholly sent
 *                  └ none was sent, or the server failed within it: refund
 */
export class SpeechBilling {
  readonly #work: Billed;
  readonly #byModel = new Map<string, number>();

  constructor(work: Billed) {
    this.#work = work;
  }

  take = (characters: number): Promise<void> => this.#work.take(characters, "characters");

  async pay(price: SpeechPrice, characters: number): Promise<void> {
    const quantity = (this.#byModel.get(price.model) ?? 0) + characters;
    this.#byModel.set(price.model, quantity);
    try {
      await this.#work.post({ ...price, unit: "character", quantity });
    } catch (cause) {
      this.#byModel.set(price.model, quantity - characters);
      throw cause;
    }
    this.#note();
  }

  /** Gives back so many characters of the text that was paid for last. */
  refund(price: SpeechPrice, characters: number): void {
    const quantity = (this.#byModel.get(price.model) ?? 0) - characters;
    this.#byModel.set(price.model, quantity);
    this.#work.refund({ ...price, unit: "character", quantity });
    this.#note();
  }

  /** Throws where no credit is left. */
  checkCredit = (): Promise<void> => this.#work.checkCredit();

  #note(): void {
    const characters = [...this.#byModel.values()].reduce((sum, each) => sum + each, 0);
    this.#work.note({ characters });
  }
}

/** That a language model read and wrote. */
type Tokens = { input: number; output: number };

/** `prices`: of a million of its tokens; null: it is free. */
type Model = { model: string; prices: Tokens | null };

type BilledResponses = Pick<Work, "note" | "owe" | "checkCredit">;

/**
 * Bills the responses of a conversation: the tokens of its language model, where its operator has set prices.
 *
 *   check credit (402) ─> the model is asked … over ─> owe ─> check credit
 *
 * They are charged once the response is over, because only then it is known how many there are: the caller has it already.
 */
export class ResponseBilling {
  readonly #work: BilledResponses;
  readonly #model: Model;
  #responses = 0;
  #tokens: Tokens = { input: 0, output: 0 };
  #owing: Promise<unknown> = Promise.resolve();

  constructor(work: BilledResponses, model: Model) {
    this.#work = work;
    this.#model = model;
  }

  /** Throws where a response could not be paid for. */
  async admit(): Promise<void> {
    if (this.#model.prices !== null) await this.#work.checkCredit();
  }

  /** A response is over. `tokens` null: its model wrote nothing. Throws where no credit is left for another one. */
  async ended(tokens: Tokens | null): Promise<void> {
    const { input, output } = this.#tokens;
    this.#tokens = { input: input + (tokens?.input ?? 0), output: output + (tokens?.output ?? 0) };
    this.#work.note({
      responses: ++this.#responses,
      inputTokens: this.#tokens.input,
      outputTokens: this.#tokens.output,
    });
    const { prices } = this.#model;
    if (prices === null || tokens === null) return;
    const owing = Promise.all([this.#owe("input", prices), this.#owe("output", prices)]);
    this.#owing = Promise.all([this.#owing, owing.catch(() => {})]); // `ended` throws it
    await owing;
    await this.#work.checkCredit();
  }

  async #owe(direction: keyof Tokens, prices: Tokens): Promise<void> {
    const quantity = this.#tokens[direction];
    if (quantity === 0) return;
    const { model } = this.#model;
    await this.#work.owe({ model, unit: `${direction}_token`, priceMicros: prices[direction], quantity });
  }

  /** Resolves once all that was charged is durable, or has failed. */
  async settled(): Promise<void> {
    await this.#owing;
  }
}

/**
 * The points of the limit of requests that the responses of one session take, each one. Those that were taken in vain are
 * given back before the next is taken.
 */
export class RequestPoints {
  readonly #work: Pick<Work, "take">;
  #before: Promise<unknown> = Promise.resolve();

  constructor(work: Pick<Work, "take">) {
    this.#work = work;
  }

  /** Throws where none is left. */
  take(): Promise<void> {
    const taken = this.#before.then(() => this.#work.take(1, "requests"));
    this.#before = taken.catch(() => {}); // who takes it is told
    return taken;
  }

  /** `taken`: as `take` returned it. */
  giveBack(taken: Promise<void>): void {
    this.#before = this.#before
      .then(() => taken)
      .then(() => this.#work.take(-1, "requests"))
      .catch(() => {}); // there was none to give back
  }
}
