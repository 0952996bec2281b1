/** The hash of a file whose ranges are written in any order: each is read as soon as those before it are complete. */
import { createHash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { unlessAborted } from "../../clock.ts";

/** A file of `bytes`, in `count` ranges of `size`; the last may be shorter. */
export type Ranges = { bytes: number; size: number; count: number };

const BLOCK_BYTES = 1024 * 1024; // read at once: a server does other work between blocks

/** The ranges that are complete. One reader at a time may wait for one that is not yet. */
export class CompleteRanges {
  readonly #indexes: Set<number>;
  #waiting: { index: number; resolve: () => void } | null = null;

  constructor(indexes: Set<number>) {
    this.#indexes = indexes;
  }

  get indexes(): ReadonlySet<number> {
    return this.#indexes;
  }

  add(index: number): void {
    this.#indexes.add(index);
    if (this.#waiting?.index === index) this.#waiting.resolve();
  }

  async until(index: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#indexes.has(index)) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting = { index, resolve };
    await unlessAborted(signal, promise);
  }
}

type Progress = { complete: CompleteRanges; signal: AbortSignal };

/** The SHA-256 of the whole file. */
export async function hashRanges(
  file: FileHandle,
  { bytes, size, count }: Ranges,
  { complete, signal }: Progress,
): Promise<string> {
  const hash = createHash("sha256");
  const block = Buffer.alloc(Math.min(size, BLOCK_BYTES));
  for (let index = 0; index < count; index++) {
    await complete.until(index, signal);
    const end = Math.min(bytes, (index + 1) * size);
    for (let position = index * size; position < end; ) {
      signal.throwIfAborted();
      const length = Math.min(block.length, end - position);
      const { bytesRead } = await file.read(block, 0, length, position);
      hash.update(block.subarray(0, bytesRead));
      position += bytesRead;
    }
  }
  return hash.digest("hex");
}
