/** Work in the background pauses while callers wait for other tasks of the process. */
import { workerData } from "piscina";

/** After it a step is done, so that the work ends however busy the process is. */
const PAUSE_MAX_MS = 500;

type Shared = { awaited?: Int32Array<SharedArrayBuffer> } | undefined;

/** Before a step: blocks the thread. In processes of their own there is no pause. */
export function pause(): void {
  const { awaited } = (workerData as Shared) ?? {};
  if (!awaited) return;
  for (const end = performance.now() + PAUSE_MAX_MS; performance.now() < end; ) {
    const count = Atomics.load(awaited, 0);
    if (count === 0) return;
    Atomics.wait(awaited, 0, count, end - performance.now());
  }
}
