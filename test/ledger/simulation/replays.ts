/**
 * The rows of repeated requests as the reference keeps them, by the pure part that the stores share: what is compared is
 * that the stores load, lock and save them.
 */
import { type Attempt, chargedRow, claim, type Replayable } from "../../../src/ledger/booking/replay.ts";
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
    if (row && !row.isCharged && row.holderId === attempt.holderId) this.#rows.delete(nameOf(row));
    return { done: true };
  }

  charge({ charge, replayable }: Extract<Write, { charge: unknown }>): void {
    if (replayable) this.#rows.set(nameOf(replayable), chargedRow(replayable, replayable.requestId, charge));
  }

  forget(name: ReplayName | undefined): void {
    const row = name && this.#rows.get(nameOf(name));
    if (row && row.requestId === name.requestId) this.#rows.delete(nameOf(row));
  }
}
