/** Logs once that the database does not answer, or has no room, and once that it does again, also where no request asks it. */
import { isOutOfDescriptors } from "../../errors.ts";
import type { Log } from "../../log/log.ts";

const LOOK_MS = 5000;

/** `probe` rejects with the reason. */
export function watchDatabase(probe: () => Promise<unknown>, log: Log, lookMs = LOOK_MS): Disposable {
  let isDown = false;
  let isLooking = false;
  const look = async () => {
    if (isLooking) return; // an answer may take longer than the interval
    isLooking = true;
    try {
      await probe();
      if (isDown) log.info("database_available");
      isDown = false;
    } catch (cause) {
      const isAsked = !isOutOfDescriptors(cause); // else nothing is known of it, and the lack has its own line
      if (!isDown && isAsked) log.error("database_unavailable", { cause });
      isDown ||= isAsked;
    }
    isLooking = false;
  };
  const timer = setInterval(look, lookMs);
  timer.unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
