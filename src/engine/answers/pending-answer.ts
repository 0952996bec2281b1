/**
 * The answer to a task that an engine node has: what comes of it goes through its gate to its caller, within a time limit
 * by its work.
 *
 *   sent ──> waits, while the node says that tasks wait ──begun──> works, for as long as its work may take ──> over
 *                for as long as its caller may still wait             └ late: as a faulty answer
 */
import type { Hypothesis } from "../protocol/recognition.ts";
import { FaultyAnswer } from "./faulty-answer.ts";
import type { Gate } from "./gate.ts";

/** To load an engine, and then for each second of audio: the slowest engine takes half of it. */
const WORK = { leastMs: 120_000, msPerSecond: 10_000 };

/** What its caller takes while it runs. */
type Deliver = {
  hypothesis: ((value: Hypothesis) => void) | undefined;
  early: ((samples: Float32Array) => void) | undefined;
  begun: () => void;
};

/** `waitMaxMs`: for its turn. `isFreeElsewhere`: whether it could begin at another node at once. */
export type Bounds = { gate: Gate; waitMaxMs: number; isFreeElsewhere(): boolean };

/** So long it waits where it is, even if another node is free: its samples are sent once more. */
const MOVES_AFTER_MS = 2000;

export class PendingAnswer {
  readonly engine: string;
  readonly #bounds: Bounds;
  readonly #gate: Gate;
  readonly #sentMs = performance.now();
  readonly #deliver: Deliver;
  readonly #workMs: number;
  readonly #latestMs: number;
  readonly #outcome = Promise.withResolvers<unknown>();
  #dueMs: number;
  #hasBegun = false;
  #isOver = false;

  constructor(engine: string, bounds: Bounds, deliver: Deliver) {
    const { gate, waitMaxMs } = bounds;
    this.engine = engine;
    this.#bounds = bounds;
    this.#gate = gate;
    this.#deliver = deliver;
    this.#workMs = WORK.leastMs + gate.seconds * WORK.msPerSecond;
    this.#dueMs = this.#sentMs + this.#workMs;
    this.#latestMs = this.#dueMs + waitMaxMs;
  }

  get outcome(): Promise<unknown> {
    return this.#outcome.promise;
  }

  /** Whether so many bytes of samples may come; its caller hears where they may not. */
  takes(bytes: number): boolean {
    if (bytes <= this.#gate.bytesMax()) return true;
    this.reject(new FaultyAnswer(`${bytes} bytes of samples are more than it can have`));
    return false;
  }

  /** Its turn has come: from now on the time of its work counts. */
  begun(nowMs: number): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    this.#deliver.begun();
    this.#dueMs = Math.min(this.#latestMs, nowMs + this.#workMs);
  }

  early(samples: unknown): void {
    this.#checked(() => {
      const checked = this.#gate.early(samples);
      this.begun(performance.now());
      this.#deliver.early?.(checked);
    });
  }

  hypothesis(value: unknown): void {
    this.#checked(() => {
      const checked = this.#gate.hypothesis(value);
      this.begun(performance.now());
      this.#deliver.hypothesis?.(checked);
    });
  }

  result(value: unknown): void {
    this.#checked(() => {
      this.#outcome.resolve(this.#gate.result(value));
      this.#isOver = true;
    });
  }

  reject(reason: unknown): void {
    this.#isOver = true;
    this.#outcome.reject(reason);
  }

  /** The node says that tasks of the engine wait: this one may be among them, until it has begun. */
  mayWait(nowMs: number): void {
    if (!this.#hasBegun) this.#dueMs = Math.min(this.#latestMs, nowMs + this.#workMs);
  }

  /** Whether it has waited for a while, and would not at another node. */
  mayMove(nowMs: number): boolean {
    const isWaiting = !this.#hasBegun && !this.#isOver && nowMs > this.#sentMs + MOVES_AFTER_MS;
    return isWaiting && this.#bounds.isFreeElsewhere();
  }

  endIfLate(nowMs: number): void {
    if (nowMs > this.#dueMs)
      this.reject(new FaultyAnswer(`it did not come in ${Math.round(this.#workMs / 1000)} s of work`));
  }

  /** What comes after the end has no caller. */
  #checked(take: () => void): void {
    if (this.#isOver) return;
    try {
      take();
    } catch (error) {
      this.reject(error);
    }
  }
}
