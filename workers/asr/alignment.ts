/**
 * Aligns tokens with time by attention: the cheapest monotone path through a matrix of tokens by frames, found by
 * dynamic time warping (Sakoe and Chiba, 1978) after a median filter has smoothed the matrix.
 */

/** `rows * columns` values, row after row. */
export type Matrix = { rows: number; columns: number; values: Float64Array };

/** One step of the path. */
export type Step = { row: number; column: number };

/** From the first to the last of both, each step by one in either or both. */
export function warp({ rows, columns, values }: Matrix): Step[] {
  const width = columns + 1;
  const cost = new Float64Array((rows + 1) * width).fill(Number.POSITIVE_INFINITY);
  const came = new Uint8Array((rows + 1) * width);
  cost[0] = 0;
  for (let column = 1; column <= columns; column++) {
    for (let row = 1; row <= rows; row++) {
      const cell = row * width + column;
      const both = cost[cell - width - 1]!;
      const down = cost[cell - width]!;
      const along = cost[cell - 1]!;
      const [least, from] =
        both < down && both < along
          ? [both, BOTH]
          : down < both && down < along
            ? [down, DOWN]
            : [along, ALONG];
      cost[cell] = values[(row - 1) * columns + column - 1]! + least;
      came[cell] = from;
    }
  }
  return backwards(came, rows, columns);
}

const BOTH = 0;
const DOWN = 1;
const ALONG = 2;

function backwards(came: Uint8Array, rows: number, columns: number): Step[] {
  const path: Step[] = [];
  for (let [row, column] = [rows, columns]; row > 0 || column > 0; ) {
    path.push({ row: row - 1, column: column - 1 });
    const from = row === 0 ? ALONG : column === 0 ? DOWN : came[row * (columns + 1) + column]!;
    if (from !== ALONG) row--;
    if (from !== DOWN) column--;
  }
  return path.reverse();
}

/** Each value becomes the median of the `width` values around it; beyond the ends the values are mirrored. */
export function medianFilter(values: Float64Array, width: number): Float64Array {
  const reach = width >> 1;
  if (values.length <= reach) return values;
  const last = values.length - 1;
  const around = new Float64Array(width); // sorted as it is filled
  return values.map((_, index) => {
    for (let filled = 0; filled < width; filled++) {
      const place = Math.abs(index + filled - reach);
      const value = values[place > last ? 2 * last - place : place]!;
      let free = filled;
      for (; free > 0 && around[free - 1]! > value; free--) around[free] = around[free - 1]!;
      around[free] = value;
    }
    return around[reach]!;
  });
}
