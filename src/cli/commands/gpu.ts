/** `loquat gpu`: installs the CUDA provider of the runtime, and shows what it needs and what is found. */
import type { Command } from "@commander-js/extra-typings";
import { readConfig } from "../../config/config.ts";
import { devicesFor } from "../../engine/devices.ts";
import { findNvidia, isAtLeast, type Nvidia } from "../../engine/gpu/nvidia.ts";
import {
  bringProvider,
  downloadProvider,
  hasProvider,
  isSupported,
  linkedByProvider,
} from "../../engine/gpu/provider.ts";
import { installedRuntime, missingRuntime, type Runtime } from "../../engine/gpu/runtime.ts";
import { JSON_OPTION, printJson, printLine, UsageError } from "../base/output.ts";

export function gpu(command: Command): void {
  command
    .command("status")
    .description("Show which driver, CUDA and cuDNN are needed and found")
    .option(...JSON_OPTION)
    .action(({ json }) => {
      const status = installedStatus();
      if (json) printJson({ ...status, devices: [...devicesFor(readConfig().engine.device), "cpu"] });
      else for (const line of linesOf(status)) printLine(line);
    });
  command
    .command("install")
    .description("Install the CUDA provider that belongs to the installed ONNX Runtime")
    .option("--from <path>", "a folder or an archive (.nupkg, .whl, .zip, .tgz) instead of a download")
    .action(async ({ from }) => {
      const runtime = installedRuntime();
      if (runtime === null)
        throw new UsageError("onnxruntime-node is not installed. Install with: npm install");
      await (from === undefined ? downloadProvider(runtime) : bringProvider(runtime, from));
      printLine(`installed  CUDA provider of ONNX Runtime ${runtime.version}`);
      for (const line of linesOf(installedStatus())) printLine(line);
    });
}

function installedStatus() {
  const runtime = installedRuntime();
  const { libraryPath } = readConfig().engine;
  return gpuStatus(runtime, findNvidia({ linked: linkedByProvider(runtime), libraryPath }));
}

/** `missing`: what to install before CUDA can be used, in the order of installing it. */
export function gpuStatus(runtime: Runtime | null, nvidia: Nvidia) {
  const supported = runtime !== null && isSupported(runtime);
  const installed = hasProvider(runtime);
  const absent = [...nvidia.cuda, ...nvidia.cudnn].filter(({ folder }) => folder === null);
  const unsearched = [...nvidia.cuda, ...nvidia.cudnn].filter(
    ({ folder, isSearched }) => folder && !isSearched,
  );
  const isOld = nvidia.driver !== null && !isAtLeast(nvidia.driver, nvidia.driverNeeded);
  const missing = [
    ...(nvidia.hasDriver && !isOld ? [] : [`an NVIDIA driver, ${nvidia.driverNeeded} or later`]),
    ...absent.map(({ name }) => name),
    ...(installed ? [] : ["the provider (loquat gpu install)"]),
  ];
  return {
    runtime: runtime && { version: runtime.version, platform: runtime.platform, arch: runtime.arch },
    unusable: missingRuntime(runtime),
    supported,
    provider: { installed },
    driver: { needed: nvidia.driverNeeded, found: nvidia.driver, gpus: nvidia.gpus },
    cuda: { needed: nvidia.cudaNeeded, libraries: nvidia.cuda },
    cudnn: { needed: "9", libraries: nvidia.cudnn },
    missing: supported ? missing : [],
    hint:
      supported && unsearched.length > 0
        ? `add to LD_LIBRARY_PATH: ${[...new Set(unsearched.map(({ folder }) => `/${folder}`))].join(":")}`
        : null,
  };
}

type Status = ReturnType<typeof gpuStatus>;

const OTHERS: Record<string, string> = {
  darwin:
    "LOQUAT_DEVICE=coreml may be faster than the processor for some models: loquat models bench measures it.",
  win32: "LOQUAT_DEVICE=webgpu may be tried; without it models run on the processor.",
};

/** One fact a line: what is needed, and what is found. */
export function linesOf({
  runtime,
  unusable,
  supported,
  provider,
  driver,
  cuda,
  cudnn,
  missing,
  hint,
}: Status): string[] {
  if (runtime === null || unusable !== null) return [`  missing  ONNX Runtime: ${unusable}`];
  const { version, platform, arch } = runtime;
  const head = `  runtime  onnxruntime-node ${version}, ${platform} ${arch}`;
  if (!supported)
    return [head, `  CUDA     not available on ${platform} ${arch}. ${OTHERS[platform] ?? ""}`.trimEnd()];
  return [
    head,
    `  provider ${provider.installed ? "installed" : "missing. Install with: loquat gpu install"}`,
    `  driver   needs ${driver.needed} or later; found ${driver.found ?? "none"}${driver.gpus.map((name) => `, ${name}`).join("")}`,
    `  CUDA     needs ${cuda.needed}; ${found(cuda.libraries)}`,
    `  cuDNN    needs ${cudnn.needed}; ${found(cudnn.libraries)}`,
    ...(hint ? [`  hint     ${hint}`] : []),
    missing.length === 0 ? "  ready    CUDA" : `  missing  ${missing.join(", ")}`,
  ];
}

function found(libraries: Nvidia["cuda"]): string {
  const places = new Set(libraries.flatMap(({ folder }) => (folder === null ? [] : [`/${folder}`])));
  const absent = libraries.filter(({ folder }) => folder === null).map(({ name }) => name);
  const parts = [
    ...(places.size > 0 ? [`found in ${[...places].join(", ")}`] : []),
    ...(absent.length > 0 ? [`not found: ${absent.join(", ")}`] : []),
  ];
  return parts.join("; ");
}
