/**
 * The rows of repeated requests as the reference keeps them, by the pure part that the stores share: what is compared is
 * that the stores load, lock and save them.
 */
import {
  type Attempt,
  chargedRow,
  claim,
  type Replayable,
  released,
} from "../../../src/ledger/booking/replay.ts";
import { nameOf, type ReplayName, type Write } from "../../../src/ledger/booking/write.ts";

export class ReferenceReplays {
  readonly #rows = new Map<string, Replayable>();

  rows(): Replayable[] {
    return [...this.#rows.values()];
  }

  claim(attempt: Attempt): object {
    const { claimed, row } = claim(this.#rows.get(nameOf(attempt)), attempt);
    if (row) this.#rows.set(nameOf(attempt), row);
    return { claimed };
  }

  abandon(attempt: Attempt): object {
    const row = this.#rows.get(nameOf(attempt));
    if (row && !row.isCharged && row.holderId === attempt.holderId) this.#put(nameOf(row), released(row));
    return { done: true };
  }

  charge({ charge, replayable }: Extract<Write, { charge: unknown }>): void {
    if (!replayable) return;
    const name = nameOf(replayable);
    const stored = this.#rows.get(name);
    this.#put(name, chargedRow(stored, replayable, charge) ?? stored);
  }

  /** `isVoided`: the charge failed; else it was refunded. */
  forget(name: ReplayName | undefined, isVoided: boolean): void {
    const row = name && this.#rows.get(nameOf(name));
    if (row && row.requestId === name.requestId && row.holderId === name.holderId)
      this.#put(nameOf(row), isVoided ? released(row) : null);
  }

  #put(name: string, row: Replayable | null | undefined): void {
    if (row) this.#rows.set(name, row);
    else this.#rows.delete(name);
  }
}
