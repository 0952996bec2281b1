/** Promise: a node runs tasks of the kinds that it does, and refuses whatever else is sent as one. */
import { expect, test } from "bun:test";
import { receivedTask, taskToSend } from "../../../src/engine/remote/remote-task.ts";
import { SPEECH } from "../any-task.ts";

test.each([
  ["nothing", null],
  ["a text", "speak"],
  ["a task without a kind", { text: "Hello." }],
  ["a kind that does not exist", { kind: "translation", text: "Hello." }],
  ["a kind of this process alone", { kind: "plan", parts: [] }],
  ["a kind that is a list", { kind: ["synthesis"] }],
])("%s is refused", (_what, value) => {
  expect(() => receivedTask(value)).toThrow("the task is of no kind that this node does");
});

test("a synthesis arrives without what only threads of one process share", () => {
  const cancel = new Int32Array(new SharedArrayBuffer(4));
  const delivery = { port: null, dueInMs: 0 };
  expect(receivedTask(taskToSend({ ...SPEECH, cancel, delivery }))).toEqual(SPEECH);
});
