/**
 * A model's first runs, before anybody waits for them: memory is there, and on a GPU each shape has had its search for the
 * fastest way, which is made for every new one.
 */
import type { Placement } from "../../src/engine/protocol/engine-data.ts";

/** The smallest of the sizes on a processor, all of them on a GPU. */
export async function warmUp(
  { devices }: Placement,
  sizes: number[],
  run: (size: number) => Promise<unknown>,
): Promise<void> {
  for (const size of devices.length > 0 ? sizes : sizes.slice(0, 1)) await run(size);
}

/** On a GPU sizes are rounded up, so that there are few of them. */
export const rounded = ({ devices }: Placement, size: number, step: number): number =>
  devices.length > 0 ? Math.ceil(size / step) * step : size;
