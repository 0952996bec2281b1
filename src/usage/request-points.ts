/**
 * The points of the limit of requests that the responses of one session take, each one. Those that were taken in vain are
 * given back before the next is taken.
 */
import type { Work } from "./work.ts";

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
