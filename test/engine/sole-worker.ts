/** A thread that does as its task says. */
import { answerTasks } from "../../workers/answer-tasks.ts";

type Task = { answer?: string; fail?: string; die?: boolean };

answerTasks(({ answer = "done", fail, die }: Task) => {
  if (die) process.exit(1);
  if (fail !== undefined) throw new Error(fail);
  return answer;
});
