/**
 * Live streams of many API nodes in one engine: each API node counts its streams from 1, so the engine gets other ids.
 *
 *   API node A: 1, 2 ──┐
 *   API node B: 1 ─────┴──> engine: 1, 2, 3
 */

import { TransientMap } from "../../transient.ts";
import type { StreamingResult, StreamingTask } from "../protocol/streaming-recognition.ts";

/** New for every stream of this process. */
export function openStreamCounter(): () => number {
  let last = 0;
  return () => ++last;
}

const EMPTY: StreamingTask = { kind: "streaming-recognition", open: [], feed: [], finish: [], close: [] };

/** The streams of one API node in one engine. */
export class StreamIds {
  readonly #next: () => number;
  readonly #inEngine = new TransientMap<number, number>();

  constructor(next: () => number) {
    this.#next = next;
  }

  get size(): number {
    return this.#inEngine.size;
  }

  /** The task with the engine's ids, and how its results get the caller's again. Streams that are not open are left out. */
  translate({ open, feed, finish, close }: StreamingTask) {
    const idOf = (id: number) => this.#inEngine.get(id);
    const closing = close.flatMap((id) => idOf(id) ?? []);
    for (const id of close) this.#inEngine.delete(id);
    for (const { id } of open) {
      closing.push(...[idOf(id) ?? []].flat()); // the caller's count began again
      this.#inEngine.set(id, this.#next());
    }
    const placed = <S extends { id: number }>(streams: S[]): S[] =>
      streams.flatMap((stream) => {
        const id = idOf(stream.id);
        return id === undefined ? [] : [{ ...stream, id }];
      });
    const task: StreamingTask = {
      kind: "streaming-recognition",
      open: placed(open),
      feed: placed(feed),
      finish: finish.flatMap((id) => idOf(id) ?? []),
      close: closing,
    };
    const callers = new Map([...this.#inEngine].map(([caller, engine]) => [engine, caller]));
    const results = (all: StreamingResult[]) =>
      all.flatMap((result) => {
        const id = callers.get(result.id);
        return id === undefined ? [] : [{ ...result, id }];
      });
    return { task, results };
  }

  /** The task that closes all of them; null where none is open. */
  closing(): StreamingTask | null {
    if (this.#inEngine.size === 0) return null;
    const close = [...this.#inEngine.values()];
    this.#inEngine.clear();
    return { ...EMPTY, close };
  }
}
