/** The devices that models can run on here, best first, before the processor. Looks for libraries and loads none. */
import { existsSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

export type Gpu = "cuda" | "webgpu";

/** `asked` is configured: a named device is always tried; where it fails, the next one is used with a warning. */
export function devicesFor(asked: "auto" | "cpu" | Gpu): Gpu[] {
  if (asked === "cpu") return [];
  if (asked !== "auto") return [asked];
  return [...(hasCuda() ? ["cuda" as const] : []), ...(hasAdapter() ? ["webgpu" as const] : [])];
}

/** The CUDA provider is not part of the npm package: the operator puts it beside the runtime. */
function hasCuda(): boolean {
  const library = join("napi-v6", process.platform, process.arch, "libonnxruntime_providers_cuda.so");
  try {
    const main = createRequire(import.meta.url).resolve("onnxruntime-node");
    return existsSync(join(dirname(main), "..", "bin", library));
  } catch {
    return false;
  }
}

const VULKAN = ["x86_64-linux-gnu", "aarch64-linux-gnu", ""].flatMap((folder) =>
  ["/usr/lib", "/lib", "/usr/lib64"].map((root) => join(root, folder, "libvulkan.so.1")),
);

/** WebGPU needs Vulkan on Linux, and nothing on macOS. */
function hasAdapter(): boolean {
  if (process.platform === "darwin") return true;
  const nodes = existsSync("/dev/dri") ? readdirSync("/dev/dri") : [];
  return nodes.some((name) => name.startsWith("renderD")) && VULKAN.some(existsSync);
}
