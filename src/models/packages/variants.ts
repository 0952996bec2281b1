/** Which precision of a package a machine takes first, and which devices an installed one may run on. */
import type { Package } from "./package.ts";

/** Null where the package has one precision only. A GPU takes the processor's where none is known to work on it. */
export const variantFor = ({ variants }: Pick<Package, "variants">, device: "cpu" | "gpu"): string | null =>
  variants[device][0] ?? variants.cpu[0] ?? null;

/**
 * Any package runs on CUDA or CoreML, which leave to the processor what they cannot do. On WebGPU only the precisions that are known
 * to work there: integer graphs are many times slower on it than on the processor, and some half precision is noise.
 */
export function devicesOf<Device extends string>(
  { variants, files }: Pick<Package, "variants" | "files">,
  devices: readonly Device[],
): Device[] {
  const isKnown = files.some(({ variant }) => variant !== undefined && variants.gpu.includes(variant));
  return devices.filter((device) => device !== "webgpu" || isKnown);
}
