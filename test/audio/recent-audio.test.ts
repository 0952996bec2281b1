/** Promise: the kept audio of a stream is what was appended, at its positions, however it came and was dropped. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { RecentAudio } from "../../src/audio/recent-audio.ts";

const step = fc.oneof(
  fc.record({ append: fc.nat(9000) }),
  fc.record({ skip: fc.tuple(fc.nat(9000), fc.nat(12_000)) }),
  fc.record({ drop: fc.nat(12_000) }),
  fc.record({ read: fc.tuple(fc.nat(30_000), fc.nat(30_000)) }),
);

test("spans are those of the whole stream, without what was dropped", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const recent = new RecentAudio();
      let from = 0;
      let end = 0;
      for (const step of steps) {
        if ("append" in step) {
          recent.append(Float32Array.from({ length: step.append }, (_, i) => end + i));
          end += step.append;
        } else if ("skip" in step) {
          const [count, kept] = step.skip;
          end += count;
          from = Math.max(0, end - kept);
          recent.skip(
            count,
            Float32Array.from({ length: end - from }, (_, i) => from + i),
          );
        } else if ("drop" in step) {
          recent.dropBefore(from + step.drop);
          from = Math.min(from + step.drop, end);
        } else {
          const [start, stop] = step.read;
          const read = recent.between(start, stop);
          const first = Math.min(Math.max(start, from), end);
          expect(read.length).toBe(Math.max(0, Math.min(stop, end) - first));
          if (read.length > 0) expect([read[0], read.at(-1)]).toEqual([first, first + read.length - 1]);
        }
        expect(recent.end).toBe(end);
      }
    }),
  );
});
