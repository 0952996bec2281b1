/** Time that passes for the whole process, in steps, until something is over. */
import { spyOn } from "bun:test";
import { takes } from "../../../until.ts";

const STEP_MS = 200_000; // more than any answer of these tests may take
const EACH_MS = 3000;

/** A step is repeated: what came during the one before it, such as that a task has begun, counts from then on. */
export async function passingTime<T>(outcome: Promise<T>): Promise<T> {
  const real = performance.now.bind(performance);
  let laterMs = 0;
  using _later = spyOn(performance, "now").mockImplementation(() => real() + laterMs);
  let isOver = false;
  const over = outcome.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    laterMs += STEP_MS;
    await Promise.race([over, takes(EACH_MS)]);
  }
  return await outcome;
}
