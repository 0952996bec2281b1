/** Batches for the thread that writes SQLite, and when another thread checkpoints what it has written. */
import type { Done, Job } from "../db/open-sqlite.ts";
import { rowIdsOf } from "./booking/row-ids.ts";
import type { RecentAccounts } from "./recent-accounts.ts";
import type { Applied } from "./sqlite.ts";
import type { Store } from "./store.ts";

/** Some 1,000 pages under load. A server with few requests never reaches it, and leaves checkpoints to its writer. */
const COMMITS_A_CHECKPOINT = 64;

/** What the thread does that writes: batches of the ledger as JSON, which crosses threads faster than objects, or other jobs. */
export type WriterWork =
  | { task: { kind: "writes"; writes: string }; result: string }
  | { task: { kind: "jobs"; jobs: Job[] }; result: Done[] };

export type CheckpointWork = { task: object; result: undefined };

/** `write`: takes a batch as JSON, and resolves to what came of it as JSON. */
type Threads = { write(batch: string): Promise<string>; checkpoint(): Promise<unknown> };

/** `recent`: told what each batch leaves. */
export function applyOnThread({ write, checkpoint }: Threads, recent: RecentAccounts): Store["apply"] {
  let commits = 0;
  let isCopying = false;

  async function copy(): Promise<void> {
    isCopying = true;
    commits = 0;
    await checkpoint().catch(() => {}); // the writer makes one itself when the log has become long
    isCopying = false;
  }

  return async (writes) => {
    try {
      const { outcomes, left } = JSON.parse(await write(JSON.stringify(writes))) as Applied;
      recent.remember(left);
      if (++commits >= COMMITS_A_CHECKPOINT && !isCopying) void copy();
      return outcomes;
    } catch (error) {
      recent.forget(rowIdsOf(writes).organizations);
      throw error;
    }
  };
}
