/**
 * The installed ONNX Runtime: its version, where its libraries are, and what its build for this platform lacks. Looks at
 * files and loads none.
 */
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

export type Runtime = {
  /** The folder of the npm package. */
  folder: string;
  version: string;
  platform: string;
  arch: string;
};

/** Null where the package is not installed. */
export function installedRuntime(
  platform: string = process.platform,
  arch: string = process.arch,
): Runtime | null {
  try {
    const main = createRequire(import.meta.url).resolve("onnxruntime-node");
    return runtimeIn(join(dirname(main), ".."), { platform, arch });
  } catch {
    return null;
  }
}

function runtimeIn(folder: string, { platform, arch }: Pick<Runtime, "platform" | "arch">): Runtime {
  const { version }: { version: string } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return { folder, version, platform, arch };
}

/** Where the runtime looks for its libraries. */
export const librariesOf = ({ folder, platform, arch }: Runtime) =>
  join(folder, "bin", "napi-v6", platform, arch);

/** Why neural models cannot run here at all, or null. `root`: of the file system. */
export function missingRuntime(runtime: Runtime | null, root = "/"): string | null {
  if (runtime === null) return "the package onnxruntime-node is not installed";
  const { platform, arch } = runtime;
  if (!existsSync(join(librariesOf(runtime), "onnxruntime_binding.node")))
    return `onnxruntime-node ${runtime.version} has no build for ${platform === "darwin" ? "Macs with an Intel processor" : `${platform} ${arch}`}`;
  const isMusl = platform === "linux" && existsSync(join(root, "lib", `ld-musl-${MUSL[arch]}.so.1`));
  const hasGlibc = GLIBC.some((path) => existsSync(join(root, path)));
  return isMusl && !hasGlibc
    ? "onnxruntime-node needs glibc, and this system has musl (such as Alpine)"
    : null;
}

const MUSL: Record<string, string> = { x64: "x86_64", arm64: "aarch64" };
const GLIBC = ["lib64/ld-linux-x86-64.so.2", "lib/ld-linux-aarch64.so.1"];
