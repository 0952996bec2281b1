/** The responses of a conversation, and the tokens of its language model, as its request counts them. */
import type { Work } from "./work.ts";

/** That a language model read and wrote. */
type Tokens = { input: number; output: number };

export class ResponseBilling {
  readonly #work: Pick<Work, "note">;
  #responses = 0;
  #tokens: Tokens = { input: 0, output: 0 };

  constructor(work: Pick<Work, "note">) {
    this.#work = work;
  }

  /** A response is over. `tokens` null: its model wrote nothing. */
  ended(tokens: Tokens | null): void {
    const { input, output } = this.#tokens;
    this.#tokens = { input: input + (tokens?.input ?? 0), output: output + (tokens?.output ?? 0) };
    this.#work.note({
      responses: ++this.#responses,
      inputTokens: this.#tokens.input,
      outputTokens: this.#tokens.output,
    });
  }
}
