/** Promise: tokens are aligned to time as in the reference, on a monotone and complete path. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type Matrix, medianFilter, warp } from "../../../workers/asr/alignment.ts";
import { goldens, hasGoldens, numbers, unlessGoldens } from "./goldens.ts";

describe.skipIf(!hasGoldens)(`alignment equals the goldens${unlessGoldens}`, () => {
  test("the alignment path equals the goldens", () => {
    const [rows, columns] = [5, 16];
    const values = Float64Array.from(numbers(7, rows * columns));
    for (let row = 0; row < rows; row++)
      for (let near = 0; near < 4; near++)
        if (3 * row + near < columns) values[row * columns + 3 * row + near]! += 1.5;
    const path = warp({ rows, columns, values: values.map((value) => -value) });
    expect(path.map(({ row }) => row)).toEqual(goldens.dtw.text_indices);
    expect(path.map(({ column }) => column)).toEqual(goldens.dtw.time_indices);
  });

  test("the median filter equals the goldens", () => {
    const filtered = medianFilter(Float64Array.from(numbers(3, 20)), 7);
    for (const [at, value] of goldens.median7.output.entries()) expect(filtered[at]).toBeCloseTo(value, 8);
  });
});

const matrix: fc.Arbitrary<Matrix> = fc
  .tuple(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 12 }))
  .chain(([rows, columns]) =>
    fc
      .array(fc.double({ min: -5, max: 5, noNaN: true }), {
        minLength: rows * columns,
        maxLength: rows * columns,
      })
      .map((values) => ({ rows, columns, values: Float64Array.from(values) })),
  );

test("every path begins at the first cell, ends at the last, and never goes back", () => {
  fc.assert(
    fc.property(matrix, (costs) => {
      const path = warp(costs);
      expect(path[0]).toEqual({ row: 0, column: 0 });
      expect(path.at(-1)).toEqual({ row: costs.rows - 1, column: costs.columns - 1 });
      for (const [at, step] of path.slice(1).entries()) {
        const moved = [step.row - path[at]!.row, step.column - path[at]!.column];
        expect(moved.every((by) => by === 0 || by === 1)).toBe(true);
        expect(moved).not.toEqual([0, 0]);
      }
    }),
  );
});

test("a median filter wider than its input changes nothing", () => {
  expect(medianFilter(Float64Array.of(3, 1, 2), 7)).toEqual(Float64Array.of(3, 1, 2));
});
