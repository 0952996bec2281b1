/** Promise: an engine node that tells the truth is served; one that does not gets no more tasks, and no other suffers. */

import { expect, spyOn, test } from "bun:test";
import { isOf } from "../../../../src/engine/protocol/task.ts";
import { errorOf } from "../../../harness.ts";
import { quietFor, takes, until } from "../../../until.ts";
import { hypothesis, tone, withLyingNode } from "./with-lying-node.ts";

const server = withLyingNode();

test("a node that answers what was asked is served and charged", async () => {
  server.node().answer = ({ task }, reply) => {
    if (!isOf(task, "recognition")) return reply.result(tone(2));
    reply.hypothesis(hypothesis());
    reply.result(1);
  };
  const spoken = await server.speak();
  expect(spoken.status).toBe(200);
  expect((await spoken.arrayBuffer()).byteLength).toBe(2 * 48_000);
  const transcribed = await server.transcribe();
  expect(transcribed.status).toBe(200);
  expect(await transcribed.json()).toMatchObject({ text: "hello" });
  expect(await server.spent()).toBeGreaterThan(0);
});

test("a task whose node says that tasks wait is waited for, but not for ever", async () => {
  const real = performance.now.bind(performance);
  let laterMs = 0;
  using _later = spyOn(performance, "now").mockImplementation(() => real() + laterMs);
  server.node().load(5);
  server.node().answer = () => {};
  let isOver = false;
  const response = server.speak().finally(() => {
    isOver = true;
  });
  await until(() => server.node().asked.length > 0);
  for (let count = 0; count < 6; count++) {
    laterMs += 100_000;
    server.node().load(5);
    await quietFor(2500);
    expect(isOver).toBe(false);
  }
  laterMs += 400_000;
  expect(await errorOf(await response)).toMatchObject({ status: 502, code: "inference_unavailable" });
}, 120_000);

/** A clock that a test moves on. */
function openClock() {
  const real = performance.now.bind(performance);
  let laterMs = 0;
  const spy = spyOn(performance, "now").mockImplementation(() => real() + laterMs);
  return {
    pass(seconds: number): void {
      laterMs += 1000 * seconds;
    },
    [Symbol.dispose]: () => spy.mockRestore(),
  };
}

test("a task that has begun is not waited for longer, whatever its node says of others", async () => {
  using clock = openClock();
  server.node().load(5);
  server.node().answer = (_asked, reply) => {
    reply.begun();
    reply.begun();
  };
  const response = server.speak();
  await until(() => server.node().asked.length > 0);
  const again = setInterval(() => server.node().load(5), 100);
  await takes(1500); // a beat
  clock.pass(170);
  expect(await errorOf(await response)).toMatchObject({ status: 502, code: "inference_unavailable" });
  clearInterval(again);
});

test("all nodes that say that tasks wait hold a caller no longer than one", async () => {
  using other = await server.join();
  using clock = openClock();
  const nodes = [server.node(), other];
  for (const node of nodes) {
    node.load(5);
    node.answer = () => {};
  }
  const response = server.speak();
  const asked = () => nodes.reduce((sum, node) => sum + node.asked.length, 0);
  await until(() => asked() === 1);
  await takes(1500); // a message on load
  clock.pass(800);
  await until(() => asked() === 2);
  await takes(1500);
  clock.pass(170);
  expect(await errorOf(await response)).toMatchObject({ status: 502, code: "inference_unavailable" });
});

test("a caller whose node says that tasks wait is served by another that is free", async () => {
  server.node().load(5);
  server.node().answer = () => {};
  const response = server.speak();
  await until(() => server.node().asked.length === 1);
  using other = await server.join();
  other.answer = (_asked, reply) => reply.result(tone(2));
  expect((await response).status).toBe(200);
});

test("an answer to a task that was never sent ends the connection", async () => {
  server.node().answer = (_asked, reply) => reply.result(tone(1), 4_000_000_000);
  const response = await server.speak();
  expect(await errorOf(response)).toMatchObject({ status: 503, code: "service_unavailable" });
  expect(await server.node().closed).toContain("not sent");
  expect(await server.spent()).toBe(0);
});

test("what comes for a task that is over is dropped, and the next task is answered", async () => {
  server.node().answer = ({ id }, reply) => {
    reply.result(tone(1));
    for (let count = 0; count < 3; count++) reply.result(tone(20), id);
  };
  expect((await server.speak()).status).toBe(200);
  expect((await server.speak()).status).toBe(200);
});

test("an engine whose node lies five times gets no tasks, and its callers are answered at once", async () => {
  server.node().answer = (_asked, reply) => reply.result("hello");
  for (let count = 0; count < 5; count++) expect((await server.speak()).status).toBe(502);
  const asked = server.node().asked.length;
  const response = await server.speak();
  expect(response.headers.get("retry-after")).toBe("5");
  expect(await errorOf(response)).toMatchObject({ status: 503, code: "service_unavailable" });
  expect(server.node().asked).toHaveLength(asked);
  expect(
    server.harness().logged.some(({ event, out }) => event === "engine_node_faulty" && out === true),
  ).toBe(true);
  server.node().answer = (_asked, reply) => {
    reply.hypothesis(hypothesis());
    reply.result(1);
  };
  expect((await server.transcribe()).status).toBe(200); // by its other engine
});
