/**
 * Bills the responses of a conversation: the tokens of its language model, where its operator has set prices.
 *
 *   check credit (402) ─> the model is asked … over ─> owe ─> check credit
 *
 * They are charged once the response is over, because only then it is known how many there are: the caller has it already.
 */
import type { Work } from "./work.ts";

/** That a language model read and wrote. */
type Tokens = { input: number; output: number };

/** `prices`: of a million of its tokens; null: it is free. */
type Model = { model: string; prices: Tokens | null };

type Billed = Pick<Work, "note" | "owe" | "checkCredit">;

export class ResponseBilling {
  readonly #work: Billed;
  readonly #model: Model;
  #responses = 0;
  #tokens: Tokens = { input: 0, output: 0 };
  #owing: Promise<unknown> = Promise.resolve();

  constructor(work: Billed, model: Model) {
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
