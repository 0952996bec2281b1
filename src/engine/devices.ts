/** The devices that models run on here, best first, before the processor. Looks for libraries and loads none. */
import { findNvidia } from "./gpu/nvidia.ts";
import { hasProvider } from "./gpu/provider.ts";
import { installedRuntime } from "./gpu/runtime.ts";

export type Gpu = "cuda" | "webgpu" | "coreml";

/**
 * `asked` is configured: a named device is always tried; where it fails, the processor is used with a warning. CUDA is
 * used unasked where its provider and a driver are installed. WebGPU and CoreML are only used where they are asked for:
 * on some machines models are slower or wrong on them.
 */
export function devicesFor(asked: "auto" | "cpu" | Gpu): Gpu[] {
  if (asked === "cpu") return [];
  if (asked !== "auto") return [asked];
  return hasProvider(installedRuntime()) && findNvidia({ libraryPath: null }).hasDriver ? ["cuda"] : [];
}
