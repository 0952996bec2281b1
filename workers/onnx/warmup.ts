/**
 * The first runs of a model, before any request: they allocate memory, and on a GPU select the fastest kernels, which is
 * done for every new shape.
 */
import type { Placement } from "../../src/engine/protocol/engine-data.ts";

/** On a processor the smallest size only, on a GPU all of them. */
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
