/** Promise: plain data with samples arrives as it was sent, however its bytes are divided and mixed with others. */
import { expect, spyOn, test } from "bun:test";
import fc from "fast-check";
import { Arrivals, ProtocolError } from "../../../src/engine/remote/arrivals.ts";
import { FRAME_BYTES_MAX, fromApi, type TaskMessage } from "../../../src/engine/remote/messages.ts";
import { Outgoing } from "../../../src/engine/remote/outgoing.ts";
import { decodeData, encodeData } from "../../../src/engine/remote/wire-data.ts";
import { until } from "../../until.ts";

const idle = { takes: () => true, deliver: () => {} };

const samples = fc.float32Array({ maxLength: 50, noNaN: true });
const plain = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.string(),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    samples,
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(fc.string(), tie("value"), { maxKeys: 4, noNullPrototype: true }),
  ),
})).value;

const joined = (parts: readonly Uint8Array[]) => new Uint8Array(Buffer.concat(parts));

test("data with samples anywhere in it survives the way over JSON and bytes", () => {
  fc.assert(
    fc.property(plain, (value) => {
      const { data, parts } = encodeData(value);
      const decoded = decodeData(JSON.parse(JSON.stringify(data)), joined(parts));
      expect(decoded).toEqual({ value });
    }),
  );
});

test("samples for a place that the data does not have are refused", () => {
  for (const path of [["missing"], ["constructor", "prototype"], ["text"], []])
    expect(
      decodeData({ value: { text: "a" }, samples: [{ path, length: 1 }] }, new Uint8Array(4)),
    ).toBeNull();
  const { data, parts } = encodeData({ samples: new Float32Array(3) });
  expect(decodeData(data, joined(parts).subarray(1))).toBeNull();
  expect(decodeData(data, joined([...parts, new Uint8Array(4)]))).toBeNull();
});

test("samples of several arrays have buffers of their own", () => {
  const { data, parts } = encodeData({ one: new Float32Array([1, 2]), other: new Float32Array([3]) });
  const { value } = decodeData(data, joined(parts)) as { value: { one: Float32Array; other: Float32Array } };
  expect(value.one.buffer).not.toBe(value.other.buffer);
  expect([value.one.byteLength, value.one.buffer.byteLength]).toEqual([8, 8]);
});

const task = (id: number, data: TaskMessage["data"]): TaskMessage => ({
  type: "task",
  id,
  engine: "flite",
  identity: "flite",
  claim: { urgency: "batch", organization: "a", request: "r" },
  data,
  hypotheses: false,
});

test("tasks arrive complete over a socket that is full most of the time, and no frame is too long", async () => {
  const lengths = [3, 40_000, 200_000, 0, 17];
  const received = new Map<number, unknown>();
  const incoming = new Arrivals<TaskMessage>(fromApi.check, {
    takes: () => true,
    deliver: ({ id, data }, body) => void received.set(id, decodeData(data, body)?.value),
  });
  let buffered = 0;
  const outgoing = new Outgoing({
    send(frame) {
      expect(frame.length).toBeLessThanOrEqual(FRAME_BYTES_MAX);
      buffered += frame.length;
      setTimeout(() => {
        buffered -= frame.length;
        incoming.take(frame);
      }, 1);
    },
    bufferedBytes: () => (buffered > 0 ? Number.POSITIVE_INFINITY : 0),
    close() {},
  });
  const sent = lengths.map((length, index) => ({
    samples: Float32Array.from({ length }, (_, at) => at + index),
  }));
  for (const [index, value] of sent.entries()) {
    const { data, parts } = encodeData(value);
    outgoing.add(JSON.stringify(task(index + 1, data)), index + 1, parts);
  }
  await until(() => received.size >= sent.length);
  expect(sent.map((_, index) => received.get(index + 1))).toEqual(sent);
  expect([...received.keys()].at(-1)).toBe(3); // the longest delays no other
  expect(outgoing.bytes).toBe(0);
});

test("frames that no message announced, and messages of another kind, break the protocol", () => {
  const receiver = () => new Arrivals<TaskMessage>(fromApi.check, idle);
  const { data } = encodeData({ samples: new Float32Array(1) });
  const announced = JSON.stringify(task(1, data));
  const wrong: (string | Uint8Array)[][] = [
    [new Uint8Array(8)],
    [new Uint8Array(2)],
    ["{"],
    ["[]"],
    ['{"type":"load"}'],
    ["x".repeat(1024 * 1024 + 1)],
    [announced, announced],
    [announced, new Uint8Array([1, 0, 0, 0, 1, 2, 3, 4, 5])],
    [announced, new Uint8Array([2, 0, 0, 0, 1, 2, 3, 4])],
    [JSON.stringify(task(1, { value: {}, samples: [{ path: ["a"], length: 17 * 1024 * 1024 }] }))],
  ];
  for (const frames of wrong) {
    const incoming = receiver();
    const takeAll = () => {
      for (const frame of frames) incoming.take(frame);
    };
    expect(takeAll).toThrow(ProtocolError);
  }
});

test("more frames in a second than an honest peer sends break the protocol", () => {
  const incoming = new Arrivals(fromApi.check, idle);
  const flood = () => {
    for (let count = 0; count < 100_000; count++) incoming.take('{"type":"beat"}');
  };
  expect(flood).toThrow("too many frames");
});

test("more text in a second than this process reads beside its other work breaks the protocol", () => {
  const incoming = new Arrivals(fromApi.check, idle);
  const long = JSON.stringify({ type: "beat", text: "x".repeat(1024 * 1024 - 100) });
  const flood = () => {
    for (let count = 0; count < 100; count++) incoming.take(long);
  };
  expect(flood).toThrow("too many messages");
});

test("samples of no use are not kept, and those after them arrive", () => {
  const received: number[] = [];
  const incoming = new Arrivals<TaskMessage>(fromApi.check, {
    takes: ({ id }) => id !== 1,
    deliver: ({ id }) => void received.push(id),
  });
  const { data } = encodeData({ samples: new Float32Array(2) });
  const frame = (id: number, bytes: number) => new Uint8Array([id, 0, 0, 0, ...new Uint8Array(bytes)]);
  for (const id of [1, 2, 3]) incoming.take(JSON.stringify(task(id, data)));
  incoming.take(frame(2, 4));
  incoming.ignore(2);
  incoming.take(frame(2, 4));
  incoming.take(frame(1, 8));
  incoming.take(frame(3, 8));
  expect(received).toEqual([3]);
});

test("samples that stay away are noticed, and those that come are not", () => {
  using clock = spyOn(performance, "now");
  const incoming = new Arrivals<TaskMessage>(fromApi.check, idle);
  const { data } = encodeData({ samples: new Float32Array(2) });
  incoming.take(JSON.stringify(task(1, data)));
  incoming.take(JSON.stringify(task(2, data)));
  expect(incoming.stalled()).toEqual([]);
  clock.mockReturnValue(performance.now() + 31_000);
  incoming.take(new Uint8Array([2, 0, 0, 0, ...new Uint8Array(4)]));
  expect(incoming.stalled()).toEqual([1]);
  incoming.ignore(1);
  expect(incoming.stalled()).toEqual([]);
});
