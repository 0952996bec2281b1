/** Promise: speech of an engine node that lies, stops or never ends is refused at once, and costs what was delivered. */
import { describe, expect, test } from "bun:test";
import type { Asked, Reply } from "../../../engine/remote/stand-in-node.ts";
import { errorOf } from "../../../harness.ts";
import { takes, until } from "../../../until.ts";
import { passingTime } from "./passing-time.ts";
import { hypothesis, INPUT, type Lie, MICROS, OTHER, tone, withLyingNode } from "./with-lying-node.ts";

const server = withLyingNode();

describe("speech of a node that answers", () => {
  const announced = (length: number) => ({ value: null, samples: [{ path: [], length }] });
  const LIES: Lie[] = [
    ["far more samples than its text is long", (_asked, reply) => reply.result(tone(100))],
    [
      "64 MiB, announced",
      ({ id }, reply) => reply.send({ type: "result", id, data: announced(16 * 1024 * 1024) }),
    ],
    ["samples that are no numbers", (_asked, reply) => reply.result(tone(1).fill(Number.NaN, 100, 200))],
    ["endless samples", (_asked, reply) => reply.result(tone(1).fill(Number.POSITIVE_INFINITY))],
    ["samples far beyond full scale", (_asked, reply) => reply.result(tone(1).fill(1e38))],
    ["a length in place of samples", (_asked, reply) => reply.result(24_000)],
    ["no samples", (_asked, reply) => reply.result(null)],
    ["a text", (_asked, reply) => reply.result("hello")],
    ["an object", (_asked, reply) => reply.result({ samples: [1, 2, 3], words: [] })],
    ["a list of samples", (_asked, reply) => reply.result([tone(1), tone(1)])],
    ["deep data", (_asked, reply) => reply.result(JSON.parse("[".repeat(5000) + "]".repeat(5000)))],
    [
      "samples that belong nowhere",
      ({ id }, reply) => {
        reply.send({ type: "result", id, data: { value: 1, samples: [{ path: ["__proto__"], length: 1 }] } });
        reply.frames(new Uint8Array(4));
      },
    ],
    [
      "more and more early samples",
      (_asked, reply) => {
        for (let part = 0; part < 100; part++) reply.early(tone(1));
      },
    ],
    ["early samples that are none", (_asked, reply) => reply.early({ a: 1 })],
    ["hypotheses", (_asked, reply) => reply.hypothesis(hypothesis())],
  ];
  test.each(LIES)("%s fails at once, uncharged", async (_claim, answer) => {
    server.node().answer = answer;
    const response = await server.speak();
    expect(await errorOf(response)).toMatchObject({ status: 502, code: "inference_unavailable" });
    expect(await server.spent()).toBe(0);
    await server.nothingPending();
  });

  test("nothing, or too little, fails after the time that its text may take", async () => {
    const SILENCES: ((asked: Asked, reply: Reply) => unknown)[] = [
      () => {},
      ({ id }, reply) => {
        reply.send({ type: "result", id, data: announced(48_000) });
        reply.frames(new Uint8Array(4 * 24_000));
      },
      async (_asked, reply) => {
        for (let part = 0; part < 50; part++) {
          reply.early(new Float32Array(1));
          await takes(100);
        }
      },
    ];
    for (const answer of SILENCES) {
      server.node().answer = answer;
      const asked = server.node().asked.length;
      const response = server.speak();
      await until(() => server.node().asked.length > asked);
      const error = await errorOf(await passingTime(response));
      expect(error).toMatchObject({ status: 502, code: "inference_unavailable" });
    }
    expect(await server.spent()).toBe(0);
    await server.nothingPending();
  }, 120_000);
});

describe("a stream of speech that a node", () => {
  const ENDS: Lie[] = [
    ["ends with a lie", (_asked, reply) => reply.result("hello")],
    [
      "goes on for ever",
      (_asked, reply) => {
        for (let part = 0; part < 100; part++) reply.early(tone(1));
      },
    ],
  ];
  test.each(ENDS)("%s is cut, and costs what was delivered", async (_claim, finish) => {
    const later = Promise.withResolvers<void>();
    server.node().answer = async (asked, reply) => {
      if (server.node().asked.length === 1) return reply.result(tone(2));
      await later.promise;
      finish(asked, reply);
    };
    const response = await server.speak({ stream: true, input: `${INPUT} ${OTHER}` });
    expect(response.status).toBe(200);
    const reader = response.body!.getReader();
    await reader.read();
    later.resolve();
    const rest = async () => {
      for (;;) if ((await reader.read()).done) return "whole";
    };
    expect(await rest().catch(() => "cut")).toBe("cut");
    await until(async () => (await server.spent()) === MICROS * INPUT.length);
  });
});
