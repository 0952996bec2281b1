/** A runtime and a file system with or without NVIDIA's libraries, as folders of empty files. */
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Runtime } from "../../../src/engine/gpu/runtime.ts";

export const freshFolder = () => mkdtempSync(join(tmpdir(), "loquat-gpu-test-"));

export function put(root: string, files: Record<string, string>): string {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

/** An installed runtime 1.30.0 with a build for Linux on x64; `script` is run in place of its install script. */
export function runtimeWith(script = "", platform = "linux", arch = "x64"): Runtime {
  const folder = put(freshFolder(), {
    "bin/napi-v6/linux/x64/onnxruntime_binding.node": "",
    "script/install.js": script,
  });
  const libraries = platform === "linux" && arch === "x64" ? join(folder, "bin/napi-v6/linux/x64") : null;
  return { folder, version: "1.30.0", platform, arch, libraries };
}

export const CUDA = [
  "libcudart.so.12",
  "libcublas.so.12",
  "libcublasLt.so.12",
  "libcufft.so.11",
  "libcurand.so.10",
];
export const DRIVER = (version: string) => ({
  "proc/driver/nvidia/version": `NVRM version: NVIDIA UNIX x86_64 Kernel Module  ${version}  Wed Jan  1 00:00:00 UTC 2025\nGCC version: 12`,
  "proc/driver/nvidia/gpus/0000:01:00.0/information": "Model: \t\t NVIDIA L4\nIRQ: 12\n",
});
export const empty = (folder: string, names: string[]) =>
  Object.fromEntries(names.map((name) => [`${folder}/${name}`, ""]));
