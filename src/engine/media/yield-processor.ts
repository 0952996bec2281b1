/** The priority of processes that decode and encode: below the server, whose live streams suffer from every delay. */
import { constants, setPriority } from "node:os";

export function yieldProcessor(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // it has ended already
  }
}
