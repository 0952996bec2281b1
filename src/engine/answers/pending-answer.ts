/**
 * The answer to a task that an engine node has: what comes of it goes through its gate to its caller, within a time limit
 * by its work.
 *
 *   sent ──> waits at the node, while that says that tasks wait ──> works, for as long as its work may take ──> over
 *                at most as long as any task may wait                  └ late: as a faulty answer
 */
import { WAIT_MAX_MS } from "../../errors.ts";
import { FaultyAnswer } from "./faulty-answer.ts";
import type { Gate } from "./gate.ts";

/** To load an engine, and then for each second of audio: the slowest engine takes half of it. */
const WORK = { leastMs: 120_000, msPerSecond: 10_000 };

/** What its caller takes while it runs. */
type Deliver = {
  hypothesis: ((value: unknown) => void) | undefined;
  early: ((samples: Float32Array) => void) | undefined;
};

export class PendingAnswer {
  readonly engine: string;
  readonly #gate: Gate;
  readonly #deliver: Deliver;
  readonly #workMs: number;
  readonly #latestMs: number;
  readonly #outcome = Promise.withResolvers<unknown>();
  #dueMs: number;
  #hasBegun = false;
  #isOver = false;

  constructor(engine: string, gate: Gate, deliver: Deliver) {
    const nowMs = performance.now();
    this.engine = engine;
    this.#gate = gate;
    this.#deliver = deliver;
    this.#workMs = WORK.leastMs + gate.seconds * WORK.msPerSecond;
    this.#dueMs = nowMs + this.#workMs;
    this.#latestMs = this.#dueMs + WAIT_MAX_MS;
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

  early(samples: unknown): void {
    this.#checked(() => {
      const checked = this.#gate.early(samples);
      this.#hasBegun = true;
      this.#deliver.early?.(checked);
    });
  }

  hypothesis(value: unknown): void {
    this.#checked(() => {
      const checked = this.#gate.hypothesis(value);
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

  /** The node says that tasks of the engine wait: this one may be among them, until something of it came. */
  mayWait(nowMs: number): void {
    if (!this.#hasBegun) this.#dueMs = Math.min(this.#latestMs, nowMs + this.#workMs);
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
