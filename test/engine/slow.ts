/** An engine that takes its time to load, and has its turn meanwhile. */
import { workerData } from "piscina";
import { withMutex } from "../../workers/mutex.ts";

withMutex(workerData.mutex, () => Bun.sleepSync(200));

export default function done(): string {
  return "done";
}
