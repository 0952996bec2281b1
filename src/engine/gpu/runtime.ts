/**
 * The installed ONNX Runtime: its version, where its libraries are, and what its build for this platform lacks. Looks at
 * files and loads none.
 */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { addonFolder } from "../../natives/addon.ts";
import { isPacked, packedIndex } from "../../resources.ts";

export type Runtime = {
  /** The folder of the npm package. */
  folder: string;
  version: string;
  platform: string;
  arch: string;
  /** Where it looks for its libraries; null: it has no build for this platform. */
  libraries: string | null;
};

const RUNTIME_ADDON = "onnxruntime_binding.node";

/** Null where the package is not installed. */
export function installedRuntime(
  platform: string = process.platform,
  arch: string = process.arch,
): Runtime | null {
  try {
    if (isPacked) return packedRuntime(platform, arch);
    const main = fileURLToPath(import.meta.resolve("onnxruntime-node"));
    return runtimeIn(join(dirname(main), ".."), { platform, arch });
  } catch {
    return null;
  }
}

/** Without unpacking it: that takes as long as most starts. */
function packedRuntime(platform: string, arch: string): Runtime | null {
  const version = packedIndex().packages["onnxruntime-node"];
  const libraries = addonFolder(RUNTIME_ADDON);
  return version === undefined || libraries === null
    ? null
    : { folder: libraries, version, platform, arch, libraries };
}

function runtimeIn(folder: string, { platform, arch }: Pick<Runtime, "platform" | "arch">): Runtime {
  const { version }: { version: string } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const libraries = join(folder, "bin", "napi-v6", platform, arch);
  const hasBuild = existsSync(join(libraries, RUNTIME_ADDON));
  return { folder, version, platform, arch, libraries: hasBuild ? libraries : null };
}

/** Why neural models cannot run here at all, or null. `root`: of the file system. */
export function missingRuntime(runtime: Runtime | null, root = "/"): string | null {
  if (runtime === null) return "the package onnxruntime-node is not installed";
  const { platform, arch, libraries } = runtime;
  if (libraries === null)
    return `onnxruntime-node ${runtime.version} has no build for ${platform === "darwin" ? "Macs with an Intel processor" : `${platform} ${arch}`}`;
  const isMusl = platform === "linux" && existsSync(join(root, "lib", `ld-musl-${MUSL[arch]}.so.1`));
  const hasGlibc = GLIBC.some((path) => existsSync(join(root, path)));
  return isMusl && !hasGlibc
    ? "onnxruntime-node needs glibc, and this system has musl (such as Alpine)"
    : null;
}

const MUSL: Record<string, string> = { x64: "x86_64", arm64: "aarch64" };
const GLIBC = ["lib64/ld-linux-x86-64.so.2", "lib/ld-linux-aarch64.so.1"];
