/** Promise: `loquat gpu status` says what CUDA needs and what is found, in one line a fact, and what a platform lacks. */
import { describe, expect, test } from "bun:test";
import { gpuStatus, linesOf } from "../../../src/cli/commands/gpu.ts";
import { findNvidia, isAtLeast } from "../../../src/engine/gpu/nvidia.ts";
import { missingRuntime } from "../../../src/engine/gpu/runtime.ts";
import { CUDA, DRIVER, empty, freshFolder, put, runtimeWith } from "./stand-in.ts";

const EVERYWHERE = "usr/lib/x86_64-linux-gnu";
const machine = (...files: Record<string, string>[]) => put(freshFolder(), Object.assign({}, ...files));
const statusOn = (root: string, libraryPath = "") => {
  const runtime = runtimeWith();
  put(
    runtime.libraries!,
    empty(".", ["libonnxruntime_providers_cuda.so", "libonnxruntime_providers_shared.so"]),
  );
  return gpuStatus(runtime, findNvidia({ root, libraryPath }));
};

test("a machine with everything is ready", () => {
  const status = statusOn(machine(DRIVER("535.183.01"), empty(EVERYWHERE, [...CUDA, "libcudnn.so.9"])));
  expect(status).toMatchObject({
    missing: [],
    hint: null,
    driver: { found: "535.183.01", gpus: ["NVIDIA L4"] },
  });
  expect(linesOf(status)).toEqual([
    "  runtime  onnxruntime-node 1.30.0, linux x64",
    "  provider installed",
    "  driver   needs 525.60.13 or later; found 535.183.01, NVIDIA L4",
    "  CUDA     needs 12; found in /usr/lib/x86_64-linux-gnu",
    "  cuDNN    needs 9; found in /usr/lib/x86_64-linux-gnu",
    "  ready    CUDA",
  ]);
});

test("what is missing is named, in the order of installing it", () => {
  const status = gpuStatus(
    runtimeWith(),
    findNvidia({ root: machine(empty("usr/lib64", ["libcudart.so.12"])), libraryPath: "" }),
  );
  expect(status.missing).toEqual([
    "an NVIDIA driver, 525.60.13 or later",
    "libcublas.so.12",
    "libcublasLt.so.12",
    "libcufft.so.11",
    "libcurand.so.10",
    "libcudnn.so.9",
    "the provider (loquat gpu install)",
  ]);
  expect(linesOf(status)).toContain("  provider missing. Install with: loquat gpu install");
  expect(linesOf(status)).toContain("  cuDNN    needs 9; not found: libcudnn.so.9");
});

test("a driver that is too old counts as missing", () => {
  const status = statusOn(machine(DRIVER("470.57.02"), empty(EVERYWHERE, [...CUDA, "libcudnn.so.9"])));
  expect(status.missing).toEqual(["an NVIDIA driver, 525.60.13 or later"]);
});

describe("libraries", () => {
  const toolkit = [DRIVER("550.1"), empty("usr/local/cuda-12.4/lib64", [...CUDA, "libcudnn.so.9"])];

  test("that the dynamic loader does not search are found, with a hint", () => {
    expect(statusOn(machine(...toolkit))).toMatchObject({
      missing: [],
      hint: "add to LD_LIBRARY_PATH: /usr/local/cuda-12.4/lib64",
    });
  });

  test("that it is told to search need no hint", () => {
    expect(statusOn(machine(...toolkit), "/usr/local/cuda-12.4/lib64/").hint).toBeNull();
    const listed = { "etc/ld.so.conf.d/cuda.conf": "# CUDA\n/usr/local/cuda-12.4/lib64\n" };
    expect(statusOn(machine(...toolkit, listed)).hint).toBeNull();
  });

  test("are those of the CUDA that the provider was built for", () => {
    const linked = ["libcublas.so.13", "libcurand.so.10", "libcudart.so.13", "libcuda.so.1", "libc.so.6"];
    const files = empty("usr/local/cuda-13.0/lib64", [...linked, "libcudnn.so.9"]);
    const root = machine(DRIVER("550.1"), files);
    const status = gpuStatus(runtimeWith(), findNvidia({ linked, root, libraryPath: "" }));
    expect(status.cuda.needed).toBe("13");
    expect(status.cuda.libraries.map(({ name }) => name)).toEqual(linked.slice(0, 3));
    expect(status.missing).toEqual([
      "an NVIDIA driver, 580.65.06 or later",
      "the provider (loquat gpu install)",
    ]);
  });

  test("of another major version are not taken", () => {
    const { missing } = statusOn(
      machine(DRIVER("580.1"), empty(EVERYWHERE, ["libcudart.so.13", "libcudnn.so.8"])),
    );
    expect(missing).toContain("libcudart.so.12");
    expect(missing).toContain("libcudnn.so.9");
  });

  test("the libraries of WSL count as a driver", () => {
    const found = findNvidia({ root: machine(empty("usr/lib/wsl/lib", ["libcuda.so.1"])), libraryPath: "" });
    expect(found).toMatchObject({ driver: null, hasDriver: true });
  });
});

test("a platform that the runtime has no build for, or none with CUDA, is told", () => {
  const none = findNvidia({ root: freshFolder(), libraryPath: "" });
  expect(linesOf(gpuStatus(null, none))).toEqual([
    "  missing  ONNX Runtime: the package onnxruntime-node is not installed",
  ]);
  expect(missingRuntime(runtimeWith("", "darwin", "x64"))).toContain("Macs with an Intel processor");
  const musl = put(freshFolder(), { "lib/ld-musl-x86_64.so.1": "" });
  expect(missingRuntime(runtimeWith(), musl)).toContain("needs glibc");
  expect(missingRuntime(runtimeWith(), put(musl, { "lib64/ld-linux-x86-64.so.2": "" }))).toBeNull();
  const mac = runtimeWith("", "darwin", "arm64");
  const runtime = { ...mac, libraries: put(mac.folder, { "onnxruntime_binding.node": "" }) };
  expect(linesOf(gpuStatus(runtime, none)).at(-1)).toContain("LOQUAT_DEVICE=coreml");
  expect(gpuStatus(runtime, none).missing).toEqual([]);
});

test.each([
  ["525.60.13", "525.60.13", true],
  ["525.60.2", "525.60.13", false],
  ["535", "525.60.13", true],
  ["525.60", "525.60.13", false],
])("version %s is %s or later: %p", (a, b, isLater) => {
  expect(isAtLeast(a, b)).toBe(isLater);
});
