/**
 * Bills the speech of a session, text by text: a text is paid for before its first byte is sent, and what the server does not
 * deliver is given back.
 *
 *   take (429) ─> pay ─> first byte … last byte          at most one text is paid for and not wholly sent
 *                  └ none was sent, or the server failed within it: refund
 */
import type { Work } from "./work.ts";

/** A model and the price of a million of its characters. */
export type SpeechPrice = { model: string; priceMicros: number };

type Billed = Pick<Work, "take" | "post" | "refund" | "note" | "checkCredit">;

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
