/** Promise: the use of processors and GPUs is measured where the system says it, and is otherwise unknown, not 0. */
import { describe, expect, test } from "bun:test";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openGpuReader } from "../../../src/server/monitoring/gpu-use.ts";
import { openHardware } from "../../../src/server/monitoring/hardware.ts";
import { until } from "../../until.ts";

const GIB = 1024 ** 3;

/** What a program in place of nvidia-smi leads to. */
async function readWith(script: string) {
  const folder = mkdtempSync(join(tmpdir(), "gpu-use-"));
  const program = join(folder, "nvidia-smi");
  try {
    writeFileSync(program, `#!/bin/sh\n${script}\n`);
    chmodSync(program, 0o755);
    return await openGpuReader(program)!();
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe("GPUs", () => {
  test("each has its name, its use and its memory", async () => {
    const lines = "NVIDIA A10, 37, 1024, 23552\nNVIDIA H200, MIG 1g, 0, 0, 144384";
    expect(await readWith(`printf '${lines.replace("\n", "\\n")}\\n'`)).toEqual([
      { name: "NVIDIA A10", use: 0.37, memoryUsedBytes: GIB, memoryTotalBytes: 23 * GIB },
      { name: "NVIDIA H200, MIG 1g", use: 0, memoryUsedBytes: 0, memoryTotalBytes: 141 * GIB },
    ]);
  });

  test("what the driver does not tell is unknown", async () => {
    expect(await readWith("echo 'Tesla, [N/A], [Not Supported], 16384'")).toEqual([
      { name: "Tesla", use: null, memoryUsedBytes: null, memoryTotalBytes: 16 * GIB },
    ]);
  });

  test("none is known where the program is absent or fails", async () => {
    expect(openGpuReader(null)).toBeNull();
    expect(await readWith("echo 'NVIDIA-SMI has failed'; exit 9")).toBeNull();
    expect(await openGpuReader("/nowhere/nvidia-smi")!()).toBeNull();
  });
});

test("processors are measured between two looks, and GPUs at every second one", async () => {
  let reads = 0;
  const hardware = openHardware(tmpdir(), async () => {
    reads++;
    return [];
  });
  expect(hardware.use()).toMatchObject({ cpu: null, processCpu: null, gpus: null });
  const use = await until(async () => {
    await hardware.look();
    return hardware.use().cpu !== null && hardware.use();
  });
  expect(use.cpu).toBeWithin(0, 1.001);
  expect(use.processCpu).toBeWithin(0, 1.001);
  expect(use.memoryUsedBytes).toBeWithin(1, use.memoryTotalBytes);
  expect(use.disk!.freeBytes).toBeWithin(1, use.disk!.totalBytes);
  expect(use.gpus).toEqual([]);
  const before = reads;
  for (let look = 0; look < 4; look++) await hardware.look();
  expect(reads - before).toBe(2);
});
