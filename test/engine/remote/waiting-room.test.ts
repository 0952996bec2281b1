/** Promise: what one API node has waiting at an engine node is bounded, in tasks and in bytes; an honest one waits instead. */

import { expect, test } from "bun:test";
import { openRegistry } from "../../../src/engine/registry.ts";
import { EnginePeer } from "../../../src/engine/remote/engine-peer.ts";
import { FRAME_BYTES_MAX, type FromEngine, PROTOCOL } from "../../../src/engine/remote/messages.ts";
import { openStreamCounter } from "../../../src/engine/remote/stream-ids.ts";
import { TaskServer } from "../../../src/engine/remote/task-server.ts";
import { soleClaim } from "../../../src/engine/runner.ts";
import { loopTurn, until } from "../../until.ts";
import { ANY_TASK, SPEECH } from "../any-task.ts";
import { join, openFleet, ungated } from "./joined.ts";

const never = () => new Promise<never>(() => {});

/** An API node that sends what it likes to a node with one place, whose first task never ends. */
function openFlood() {
  const answers: FromEngine[] = [];
  const registry = openRegistry(() => ({
    key: "e",
    idleMs: null,
    options: { size: 1 },
    start: () => ({ run: never, async [Symbol.asyncDispose]() {} }),
  }));
  const offers = () => [{ name: "e", identity: "e@1", manifest: null, stateful: false, size: 1 }];
  const self = { version: "1.0.0", node: "a", instance: "a" };
  const socket = {
    send: (frame: string | Uint8Array) =>
      void (typeof frame === "string" && answers.push(JSON.parse(frame) as FromEngine)),
    bufferedBytes: () => 0,
    close() {},
  };
  const nextStream = openStreamCounter();
  const server = new TaskServer(
    socket,
    { self, registry, offers, nextStream },
    { greeted() {}, closed() {} },
  );
  const send = (message: object) => server.link.receive(JSON.stringify(message));
  send({ type: "hello", protocol: PROTOCOL, role: "api", ...self });
  let id = 0;
  return {
    /** `length`: its samples. */
    task({ urgency = "batch", text = "", length = 0 }) {
      id++;
      const claim = { urgency, organization: "a", request: "a" };
      const data = {
        value: { kind: "synthesis", text, samples: null },
        samples: length > 0 ? [{ path: ["samples"], length }] : [],
      };
      send({ type: "task", id, engine: "e", identity: "e@1", claim, data });
      for (let left = 4 * length; left > 0; ) {
        const frame = new Uint8Array(4 + Math.min(left, FRAME_BYTES_MAX - 4));
        new DataView(frame.buffer).setUint32(0, id, true);
        left -= frame.length - 4;
        server.link.receive(frame);
      }
      return id;
    },
    cancel: (id: number) => send({ type: "cancel", id }),
    begun: (id: number) => until(() => answers.some((answer) => answer.type === "begun" && answer.id === id)),
    refused: async () => {
      await loopTurn();
      return answers.flatMap((answer) => (answer.type === "failed" ? [answer] : []));
    },
    close: () => server.link.close(1000, "over"),
  };
}

test("tasks beyond what one place can do in time are refused so that they are tried elsewhere, and others go on", async () => {
  const flood = openFlood();
  await flood.begun(flood.task({}));
  for (let count = 0; count < 4096; count++) flood.task({});
  expect(await flood.refused()).toEqual([]);
  const id = flood.task({});
  expect(await flood.refused()).toMatchObject([
    { id, failure: { code: "service_unavailable", retryAfterSeconds: 1, begun: false } },
  ]);
  flood.cancel(2);
  expect((await flood.refused()).map((answer) => answer.id)).toEqual([id, 2]);
  flood.task({});
  flood.task({ urgency: "realtime" }); // live speech has room of its own
  expect(await flood.refused()).toHaveLength(2);
  flood.close();
});

test("bytes beyond what recordings hold are refused, samples and texts", async () => {
  const flood = openFlood();
  const minutes = 15_000_000; // 60 MB
  await flood.begun(flood.task({ length: minutes })); // held by the engine
  for (let count = 0; count < 5; count++) flood.task({ length: minutes });
  flood.task({ length: 8_000_000 }); // 332 MB of 320 MiB
  expect(await flood.refused()).toEqual([]);
  const more = [flood.task({ length: minutes })];
  for (let count = 0; count < 4; count++) more.push(flood.task({ text: "a".repeat(1_000_000) }));
  expect((await flood.refused()).map(({ id }) => id)).toEqual([more[0]!, more[4]!]);
  flood.close();
});

test("an API node counts texts as the engine node does", async () => {
  const self = { version: "1.0.0", node: "a", instance: "a" };
  const peer = new EnginePeer({ send() {}, bufferedBytes: () => 0, close() {} }, self, {
    offered() {},
    faulted() {},
    closed() {},
  });
  const offer = { name: "e", identity: "e@1", manifest: null, stateful: false, size: 1 };
  for (const message of [
    { type: "hello", protocol: PROTOCOL, role: "engine", ...self },
    { type: "offer", engines: [offer] },
  ])
    peer.link.receive(JSON.stringify(message));
  const bounds = { offer, gate: ungated(), waitMaxMs: 60_000, isFreeElsewhere: () => false };
  const text = "a".repeat(1_000_000);
  const outcomes: Promise<unknown>[] = [];
  for (; !peer.isFull("e", false) && outcomes.length < 400; )
    outcomes.push(peer.run(bounds, { ...SPEECH, text }, soleClaim()).catch(() => "lost"));
  expect(outcomes.length).toBe(268); // 335 MB, and another task of 68 MB would not fit
  peer.link.close(1000, "over");
  expect(new Set(await Promise.all(outcomes))).toEqual(new Set(["lost"]));
});

test("an API node with more tasks than an engine node holds waits with them, and all are served", async () => {
  using fleet = openFleet();
  const ends: (() => void)[] = [];
  const node = await join(fleet, {
    name: "a",
    run: () => new Promise((resolve) => ends.push(() => resolve("served" as never))),
  });
  let most = 0;
  const further = { ...soleClaim(), dueInMs: 1 }; // not refused for the time that the work ahead takes
  const all = Array.from({ length: 5000 }, () => fleet.engine("e", null).run(ANY_TASK, further));
  let isOver = false;
  const served = Promise.all(all).finally(() => {
    isOver = true;
  });
  while (!isOver) {
    most = Math.max(most, ...node.registry.loads().map(({ waiting }) => waiting));
    ends.shift()?.();
    await loopTurn();
  }
  expect(new Set(await served)).toEqual(new Set(["served"]));
  expect(most).toBeLessThanOrEqual(4096);
});
