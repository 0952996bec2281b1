/** The thread's side of `sole-thread.ts`: its only task is the function that it is given. */
import { parentPort } from "node:worker_threads";
import type { FromThread } from "../src/engine/threads/sole-thread.ts";

/** `answer` is called with each task in turn; what it throws is the error of that task. */
export function answerTasks<Task>(answer: (task: Task) => unknown): void {
  const send = (message: FromThread) => parentPort!.postMessage(message);
  parentPort!.on("message", (task: Task) => {
    try {
      send({ result: answer(task) });
    } catch (error) {
      send({ error });
    }
  });
  send("loaded");
}
