/** An API node's fleet and engine nodes with engines of the test's own, over sockets in memory. */
import type { Gate } from "../../../src/engine/answers/gate.ts";
import type { Hypothesis } from "../../../src/engine/protocol/recognition.ts";
import { openRegistry } from "../../../src/engine/registry.ts";
import { Fleet } from "../../../src/engine/remote/fleet.ts";
import type { Self } from "../../../src/engine/remote/link.ts";
import type { Offer } from "../../../src/engine/remote/messages.ts";
import type { Socket } from "../../../src/engine/remote/outgoing.ts";
import { openStreamCounter } from "../../../src/engine/remote/stream-ids.ts";
import { type Served, TaskServer } from "../../../src/engine/remote/task-server.ts";
import type { Runner } from "../../../src/engine/runner.ts";
import { until } from "../../until.ts";

/** Tasks and answers of these tests are any data, so they go through no gate. */
export const ungated = (): Gate => ({
  seconds: 0,
  bytesMax: () => Number.POSITIVE_INFINITY,
  early: (samples) => samples as Float32Array,
  hypothesis: (value) => value as Hypothesis,
  result: (value) => value,
});

export const openFleet = (forgottenAfterMs?: number) =>
  new Fleet(self("api"), { gate: ungated, ...(forgottenAfterMs === undefined ? {} : { forgottenAfterMs }) });

const self = (node: string): Self => ({ version: "1.0.0", node, instance: node });

type Receiver = { receive(frame: string | Uint8Array): void; ended(reason: string): void };

/** Two sockets, each the other's peer. Frames are copied, and arrive in later ticks, in order. */
function socketPair() {
  const ends: { api: Receiver | null; engine: Receiver | null } = { api: null, engine: null };
  let isCut = false;
  const socket = (to: keyof typeof ends): Socket => ({
    send(frame) {
      const copy = typeof frame === "string" ? frame : frame.slice();
      setImmediate(() => !isCut && ends[to]?.receive(copy));
    },
    bufferedBytes: () => 0,
    close: (_code, reason) => void setImmediate(() => ends[to]?.ended(reason)),
  });
  return {
    ends,
    api: socket("engine"),
    engine: socket("api"),
    /** As a network does that loses a machine, once both sides notice. */
    cut() {
      isCut = true;
      ends.api?.ended("cut");
      ends.engine?.ended("cut");
    },
  };
}

export type NodeOptions = {
  name: string;
  run: Runner["run"];
  size?: number;
  identity?: string;
  stateful?: boolean;
  /** That of a node which has joined another fleet: it is the same node. */
  served?: Served;
  /** Called after each message that reaches the API node. */
  received?: () => void;
};

/** Connects a node with the one engine `e` to the fleet, and waits until it has joined. */
export async function join(fleet: Fleet, options: NodeOptions) {
  const { name, run, size = 1, identity = "e@1", stateful = false } = options;
  const runner: Runner = { run, async [Symbol.asyncDispose]() {} };
  const registry = openRegistry(() => ({
    key: "e",
    idleMs: null,
    options: { size },
    start: () => runner,
  }));
  const offers: Offer[] = [{ name: "e", identity, manifest: null, stateful, size }];
  const pair = socketPair();
  const served = options.served ?? { registry, offers: () => offers, nextStream: openStreamCounter() };
  const server = new TaskServer(pair.engine, { ...served, self: self(name) }, { greeted() {}, closed() {} });
  pair.ends.engine = server.link;
  const link = fleet.connect(pair.api);
  pair.ends.api = {
    ended: (reason) => link.ended(reason),
    receive(frame) {
      link.receive(frame);
      options.received?.();
    },
  };
  await until(() => fleet.nodes().some((node) => node.identity?.node === name && node.accepts("e", null)));
  return { server, served, registry, offers, cut: pair.cut };
}
