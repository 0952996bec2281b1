/** Promise: only a CUDA provider of the very version of the runtime is installed, wherever it comes from. */
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import Zip from "adm-zip";
import { bringProvider, downloadProvider, hasProvider } from "../../../src/engine/gpu/provider.ts";
import { freshFolder, put, runtimeWith } from "./stand-in.ts";

const SOURCES = "runtimes/linux-x64/native";
const LIBRARIES = ["libonnxruntime_providers_cuda.so", "libonnxruntime_providers_shared.so"];
const libraries = (folder: string) =>
  Object.fromEntries(LIBRARIES.map((name) => [join(folder, name), `bytes of ${name}`]));
const nuspec = (version: string) => ({ "ort.nuspec": `<package><version>${version}</version></package>` });

function zipOf(name: string, files: Record<string, string>): string {
  const zip = new Zip();
  for (const [path, text] of Object.entries(files)) zip.addFile(path, Buffer.from(text));
  const path = join(freshFolder(), name);
  zip.writeZip(path);
  return path;
}

function tgzOf(name: string, files: Record<string, string>): string {
  const from = put(freshFolder(), files);
  const path = join(freshFolder(), name);
  Bun.spawnSync(["tar", "-czf", path, "-C", from, "."]);
  return path;
}

describe("brought by hand", () => {
  const named = () => put(join(freshFolder(), "onnxruntime-linux-x64-gpu-1.30.0"), libraries("lib"));
  test.each([
    ["a folder by its name", named],
    [
      "a folder with a version file",
      () => put(freshFolder(), { ...libraries("lib"), VERSION_NUMBER: "1.30.0\n" }),
    ],
    [
      "a wheel of PyPI",
      () =>
        zipOf("onnxruntime_gpu-1.30.0-cp312-cp312-manylinux_2_28_x86_64.whl", libraries("onnxruntime/capi")),
    ],
    ["a NuGet package", () => zipOf("gpu.nupkg", { ...libraries(SOURCES), ...nuspec("1.30.0") })],
    [
      "a release archive",
      () => tgzOf("gpu.tgz", { ...libraries("ort/lib"), "ort/VERSION_NUMBER": "1.30.0" }),
    ],
  ])("%s is installed where the runtime looks", async (_name, from) => {
    const runtime = runtimeWith();
    expect(hasProvider(runtime)).toBe(false);
    await bringProvider(runtime, from());
    expect(hasProvider(runtime)).toBe(true);
    for (const name of LIBRARIES)
      expect(readFileSync(join(runtime.libraries!, name), "utf8")).toBe(`bytes of ${name}`);
  });

  test.each([
    [
      "another version",
      () => zipOf("gpu.nupkg", { ...libraries(SOURCES), ...nuspec("1.29.0") }),
      "1.29.0; 1.30.0 is installed",
    ],
    ["no version", () => put(freshFolder(), libraries("lib")), "is unknown"],
    [
      "no provider",
      () => zipOf("x-1.30.0.zip", { "lib/libonnxruntime.so": "" }),
      "has no libonnxruntime_providers_cuda.so",
    ],
    ["no archive", () => join(put(freshFolder(), { "a.txt": "" }), "a.txt"), "is not a .nupkg"],
    ["a damaged archive", () => join(put(freshFolder(), { "a.tgz": "no" }), "a.tgz"), "cannot be unpacked"],
    ["nothing", () => "/nowhere/at/all", "There is no folder or archive"],
  ])("%s is refused, and nothing is changed", async (_name, from, message) => {
    const runtime = runtimeWith();
    await expect(bringProvider(runtime, from())).rejects.toThrow(message);
    expect(hasProvider(runtime)).toBe(false);
  });

  test("a platform without a provider is told what may be used instead", async () => {
    await expect(bringProvider(runtimeWith("", "darwin", "arm64"), ".")).rejects.toThrow(
      "LOQUAT_DEVICE=coreml or webgpu",
    );
    await expect(bringProvider(runtimeWith("", "win32"), ".")).rejects.toThrow("LOQUAT_DEVICE=webgpu");
  });
});

describe("downloaded by the runtime's own script", () => {
  const script = `
    const { writeFileSync } = require("node:fs");
    if (process.argv[2] !== "--onnxruntime-node-install=cuda12") process.exit(3);
    for (const name of ${JSON.stringify(LIBRARIES)}) writeFileSync(__dirname + "/../bin/napi-v6/linux/x64/" + name, "");`;

  test("is installed", async () => {
    const runtime = runtimeWith(script);
    await downloadProvider(runtime);
    expect(hasProvider(runtime)).toBe(true);
  });

  test.each([
    ["fails", "process.exit(7)", "exit code 7"],
    ["brings nothing", "", "exit code 0"],
  ])("a script that %s is an error with the archive to bring instead", async (_name, text, message) => {
    const failed = downloadProvider(runtimeWith(text));
    await expect(failed).rejects.toThrow(message);
    await expect(failed).rejects.toThrow("onnxruntime-linux-x64-gpu-1.30.0.tgz");
  });
});
