/** An engine that takes its time to load, and has its turn meanwhile. */
import { workerData } from "piscina";
import { inTurn } from "../../src/engine/mutex.ts";

inTurn(workerData.turn, () => Bun.sleepSync(200));

export default function done(): string {
  return "done";
}
