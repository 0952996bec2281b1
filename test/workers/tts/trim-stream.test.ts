/** Promise: speech that is trimmed while it arrives is the same as speech that is trimmed as a whole, in any parts. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { trimEdges } from "../../../workers/tts/trim-silence.ts";
import { TrimStream } from "../../../workers/tts/trim-stream.ts";

const RATE = 1000; // 30 samples are kept, 5 are faded

/** Runs of silence and of speech, by their lengths in turn. */
const sound = fc
  .array(fc.nat(80), { maxLength: 8 })
  .map((runs) =>
    Float32Array.from(runs.flatMap((length, run) => Array<number>(length).fill(run % 2 === 0 ? 0.001 : 0.5))),
  );

test("any parts give what the whole gives", () => {
  fc.assert(
    fc.property(sound, fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }), (samples, sizes) => {
      const stream = new TrimStream(RATE);
      const out: number[] = [];
      for (let at = 0, part = 0; at < samples.length; part++) {
        const size = sizes[part % sizes.length]!;
        out.push(...stream.push(samples.slice(at, at + size)));
        at += size;
      }
      out.push(...stream.finish());
      expect(out).toEqual([...trimEdges(samples, RATE).samples]);
    }),
  );
});

test("speech is handed out before it ends", () => {
  const stream = new TrimStream(RATE);
  expect(stream.push(new Float32Array(100)).length).toBe(0);
  expect(stream.push(new Float32Array(50).fill(0.5)).length).toBe(30 + 50 - 5);
});
