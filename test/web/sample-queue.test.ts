/** Promise: sound that waits is played whole, in order and counted; sessions are set up and closed as the page says. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { SampleQueue } from "../../src/web/playground/audio/sample-queue.ts";
import { fromBase64, toBase64 } from "../../src/web/playground/audio/sample-text.ts";
import { closedBecause } from "../../src/web/playground/realtime/close-reason.ts";
import { sessionConfig } from "../../src/web/playground/talk/talk-settings.ts";

describe("samples that wait to be played", () => {
  const pieces = fc.array(
    fc.record({
      itemId: fc.constantFrom("one", "two"),
      samples: fc.array(fc.integer({ min: -32_768, max: 32_767 })),
    }),
  );

  test("are played whole and in order, and counted, by blocks of any size", () => {
    fc.assert(
      fc.property(pieces, fc.integer({ min: 1, max: 50 }), (all, blockLength) => {
        const queue = new SampleQueue();
        for (const { itemId, samples } of all) queue.push(itemId, Int16Array.from(samples));
        const expected = all.flatMap(({ samples }) => samples);
        const played: number[] = [];
        const counts = new Map<string, number>();
        while (played.length < expected.length) {
          const block = new Float32Array(blockLength);
          queue.fill(block);
          played.push(...block);
          for (const { itemId, count } of queue.takeProgress()) counts.set(itemId, count);
        }
        expect(played.slice(0, expected.length).map((sample) => sample * 32_768)).toEqual(expected);
        expect(played.slice(expected.length).every((sample) => sample === 0)).toBe(true);
        for (const [itemId, count] of counts)
          expect(count).toBe(
            all.filter((each) => each.itemId === itemId).flatMap(({ samples }) => samples).length,
          );
      }),
    );
  });

  test("are silent once they were cleared, and count no further", () => {
    const queue = new SampleQueue();
    queue.push("one", Int16Array.of(100, 200, 300));
    queue.fill(new Float32Array(2));
    queue.clear();
    const block = Float32Array.of(1, 1);
    queue.fill(block);
    expect([...block]).toEqual([0, 0]);
    expect(queue.takeProgress()).toEqual([{ itemId: "one", count: 2 }]);
    expect(queue.takeProgress()).toEqual([]);
  });
});

test("samples survive their way as text", () => {
  const samples = Int16Array.of(0, 1, -1, 32_767, -32_768);
  expect(fromBase64(toBase64(samples))).toEqual(samples);
});

test("settings that are left empty are the conversation's", () => {
  const chosen = {
    conversation: "ada",
    voice: "",
    turnEnd: "none",
    instructions: "",
    tellsTime: false,
  } as const;
  expect(sessionConfig(chosen, 48_000)).toEqual({
    type: "realtime",
    tools: [],
    audio: {
      input: { format: { type: "audio/pcm", rate: 48_000 }, transcription: {}, turn_detection: null },
    },
  });
  expect(
    sessionConfig(
      { ...chosen, voice: "male-deep", instructions: "Be kind.", turnEnd: "semantic_vad", tellsTime: true },
      24_000,
    ),
  ).toMatchObject({
    instructions: "Be kind.",
    tools: [{ type: "function", name: "current_time" }],
    audio: { input: { turn_detection: { type: "semantic_vad" } }, output: { voice: "male-deep" } },
  });
});

test("a session that ends says why, unless it was ended", () => {
  expect(closedBecause({ code: 1000, reason: "" })).toBeNull();
  expect(closedBecause({ code: 1005, reason: "" })).toBeNull();
  expect(closedBecause({ code: 1006, reason: "" })).toMatch(/connection to the server was lost/);
  expect(closedBecause({ code: 1008, reason: "session expired" })).toBe(
    "The connection was closed: session expired.",
  );
});
