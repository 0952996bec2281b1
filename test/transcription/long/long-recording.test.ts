/** Promise: a long recording is cut into pieces that hold every sample once, in pauses where there are any. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { ASR_SAMPLE_RATE } from "../../../src/audio/rates.ts";
import { piecesOf } from "../../../src/transcription/long/long-recording.ts";

async function* chunked(samples: Float32Array, sizes: number[]): AsyncGenerator<Float32Array> {
  for (let at = 0, turn = 0; at < samples.length; turn++) {
    const size = sizes[turn % sizes.length]!;
    yield samples.subarray(at, at + size);
    at += size;
  }
}

const piecesIn = (samples: Float32Array, sizes: number[], most: number) =>
  Array.fromAsync(piecesOf(chunked(samples, sizes), most));

test("the pieces are the recording, whatever its length, chunks and pieces are", async () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 9000 }), { minLength: 1, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 40_000 }),
      sizes,
      fc.integer({ min: 400, max: 20_000 }),
      async (count, chunks, most) => {
        const samples = Float32Array.from(
          { length: count },
          (_, index) => Math.sin(index / 7) * (index % 991 > 400 ? 1 : 0),
        );
        const pieces = await piecesIn(samples, chunks, most);
        expect(Buffer.concat(pieces.map((piece) => Buffer.from(piece.buffer)))).toEqual(
          Buffer.from(samples.buffer),
        );
        for (const piece of pieces) expect(piece.length).toBeLessThanOrEqual(most);
        for (const piece of pieces.slice(0, -1)) expect(piece.length).toBeGreaterThanOrEqual(most / 2 - 320);
      },
    ),
    { numRuns: 60 },
  );
});

const seconds = (count: number) => Math.round(count * ASR_SAMPLE_RATE);

test("a cut is in the middle of the longest pause of the second half", async () => {
  const spoken = (index: number) => 0.3 * Math.sin(index / 5) * Math.sin(index / 1200) ** 2;
  const samples = Float32Array.from({ length: seconds(16) }, (_, index) => spoken(index));
  samples.fill(0, seconds(1), seconds(4)); // longer, but in the first half
  samples.fill(0, seconds(6), seconds(6.8));
  samples.fill(0, seconds(7.5), seconds(9));
  const [first] = await piecesIn(samples, [1000], seconds(10));
  expect(first!.length / ASR_SAMPLE_RATE).toBeCloseTo(8.25, 0);
});
