/** Tasks on their way to an engine node: without what only threads of one process can share. */
import type { RecognitionTask } from "../protocol/recognition.ts";
import { isOf, type Kind, type Task, type TaskOf } from "../protocol/task.ts";

/** What engine nodes do for API nodes. */
const KINDS = [
  "synthesis",
  "voice-encoding",
  "recognition",
  "streaming-recognition",
  "turn",
  "speaker-windows",
  "speaker-voice",
  "speakers",
] as const satisfies Kind[];

/** For a recording, the node that receives it has its own port and flag. */
export type RemoteTask =
  | TaskOf<Exclude<(typeof KINDS)[number], "recognition">>
  | Omit<RecognitionTask, "port" | "cancel">;

export function taskToSend(task: Task): object {
  if (isOf(task, "recognition")) {
    const { port: _port, cancel: _cancel, ...plain } = task;
    return plain;
  }
  if (!isOf(task, "synthesis")) return task;
  const { cancel: _cancel, delivery: _delivery, ...plain } = task;
  return plain;
}

/** Throws where it is of no kind that nodes do. What else is wrong with it makes its engine fail. */
export function receivedTask(value: unknown): RemoteTask {
  if (!isRemote(value)) throw new Error("the task is of no kind that this node does");
  return value;
}

const isRemote = (value: unknown): value is RemoteTask =>
  typeof value === "object" && value !== null && "kind" in value && KINDS.some((kind) => kind === value.kind);
