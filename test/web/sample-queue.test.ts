/** Promise: sound that waits is played whole, in order and counted. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { SampleQueue } from "../../src/web/playground/audio/sample-queue.ts";

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
