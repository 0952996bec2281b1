/** Which devices a model may be run on here, best first, before the processor. Looks for libraries and loads none. */
import { existsSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

export type Gpu = "cuda" | "webgpu";

/** `asked` is the operator's word: a device that was named is tried whatever is seen here, and falls back with a warning. */
export function devicesFor(asked: "auto" | "cpu" | Gpu): Gpu[] {
  if (asked === "cpu") return [];
  if (asked !== "auto") return [asked];
  return [...(hasCuda() ? ["cuda" as const] : []), ...(hasAdapter() ? ["webgpu" as const] : [])];
}

/** Its provider is no part of the npm package: who has it has put it beside the runtime. */
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

/** WebGPU stands on Vulkan under Linux, and is at home under macOS. */
function hasAdapter(): boolean {
  if (process.platform === "darwin") return true;
  const nodes = existsSync("/dev/dri") ? readdirSync("/dev/dri") : [];
  return nodes.some((name) => name.startsWith("renderD")) && VULKAN.some(existsSync);
}
