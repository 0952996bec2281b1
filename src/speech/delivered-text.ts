/** How much of a plan its listener has: the segments whose samples were all taken, by the length of their texts. */
import type { PlannedSegment } from "../engine/protocol/plan.ts";

export class DeliveredText {
  readonly #planned: number;
  #delivered = 0;

  constructor(plan: readonly PlannedSegment[]) {
    this.#planned = plan.reduce((sum, { text }) => sum + text.length, 0);
  }

  /** All samples of the segment were taken. */
  add({ text }: PlannedSegment): void {
    this.#delivered += text.length;
  }

  /** From 0 to 1. A segment that was cut short is not delivered. */
  get share(): number {
    return this.#planned === 0 ? 0 : this.#delivered / this.#planned;
  }
}
