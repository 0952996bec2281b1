/**
 * How a server that is started while the previous one of its data directory drains comes after it, instead of failing:
 *
 *   old:  serves ──SIGTERM──> server.pid says so ──drains──> lets go of the lock
 *   new:                        started ──tries, again and again──> holds it, and serves
 *
 * A server that was not told to stop is not waited for.
 */
import { CLOSE_LIMIT_MS } from "../../engine/runner.ts";
import type { Log } from "../../log/log.ts";
import { announcedServer } from "./running-server.ts";

const POLL_MS = 50;
/** A signal that was sent just before may not be handled yet, and a server that has ended is no longer announced. */
const GRACE_MS = 1000;
/** For closing what the server has open, after its drain: its engines, and all else. */
const MARGIN_MS = CLOSE_LIMIT_MS + 10_000;

type Options = { folder: string; log: Pick<Log, "info">; graceMs?: number; marginMs?: number };

/**
 * Tries until there is a result, for as long as another server is ending. Null: that one goes on, or has not ended within its
 * drain time and a margin.
 */
export async function onceEnded<T>(
  attempt: () => T | null | Promise<T | null>,
  { folder, log, graceMs = GRACE_MS, marginMs = MARGIN_MS }: Options,
): Promise<T | null> {
  let until = performance.now() + graceMs;
  let isWaiting = false;
  for (;;) {
    const result = await attempt();
    if (result !== null) return result;
    const other = announcedServer(folder);
    if (!isWaiting && other?.endsWithinMs != null) {
      isWaiting = true;
      const withinMs = other.endsWithinMs + marginMs;
      until = performance.now() + withinMs;
      log.info("waiting_for_server", { pid: other.pid, seconds: Math.ceil(withinMs / 1000) });
    }
    const isReplaced = isWaiting && other !== null && other.endsWithinMs === null;
    if (isReplaced || performance.now() > until) return null;
    await Bun.sleep(POLL_MS);
  }
}
