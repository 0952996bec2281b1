/** Runs the tasks of the server in this process, confined, until the server closes the channel. */
import type { ProcessReply, ProcessRequest } from "../../src/engine/protocol/child-process.ts";
import { confine } from "./confine.ts";

/** Whatever `run` needs of the file system must be read before. */
export function serveTasks<Task>(run: (task: Task) => unknown): void {
  confine({ cpuSeconds: null });
  const reply = (message: ProcessReply) => process.send!(message);
  process.on("message", ({ id, task }: ProcessRequest<Task>) => {
    try {
      reply({ id, result: run(task) });
    } catch (error) {
      reply({ id, error: String(error) });
    }
  });
  process.on("disconnect", () => process.exit(0));
}
