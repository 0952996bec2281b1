/** An engine whose first thread fails at once, and whose second fails when the test says; so do all later ones. */
import { workerData } from "node:worker_threads";

const { begun, release } = workerData as { begun: Int32Array; release: Int32Array };
const turn = Atomics.add(begun, 0, 1);
Atomics.notify(begun, 0);
if (turn === 1) Atomics.wait(release, 0, 0);

export default function never(): void {}

throw new Error("the model could not be loaded");
