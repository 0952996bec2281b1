/** Batches for the thread that writes SQLite, and when another thread checkpoints what it has written. */
import type { Outcome } from "./booking/write.ts";
import type { Store } from "./store.ts";

/** Some 1,000 pages under load. A server with few requests never reaches it, and leaves checkpoints to its writer. */
const COMMITS_A_CHECKPOINT = 64;

/** `write`: takes a batch as JSON, and resolves to its outcomes as JSON. */
type Threads = { write(batch: string): Promise<string>; checkpoint(): Promise<unknown> };

export function applyOnThread({ write, checkpoint }: Threads): Store["apply"] {
  let commits = 0;
  let isCopying = false;

  async function copy(): Promise<void> {
    isCopying = true;
    commits = 0;
    await checkpoint().catch(() => {}); // the writer makes one itself when the log has become long
    isCopying = false;
  }

  return async (writes) => {
    const outcomes = await write(JSON.stringify(writes));
    if (++commits >= COMMITS_A_CHECKPOINT && !isCopying) void copy();
    return JSON.parse(outcomes) as Outcome[];
  };
}
