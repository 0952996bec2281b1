/** Promise: under `auto` a package runs where it was measured to be faster, and a device that is named is used. */
import { beforeEach, expect, test } from "bun:test";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfig } from "../../../src/config/config.ts";
import { readPackages } from "../../../src/models/packages/package.ts";
import { keepSpeed, ranOf } from "../../../src/models/store/measured-speeds.ts";
import { measuredOn, openDevicesBySpeed } from "../../../src/server/engines/devices-by-speed.ts";

const kokoro = readPackages("models").get("kokoro-82m")!;
let weights = "";
beforeEach(() => {
  weights = mkdtempSync(join(tmpdir(), "loquat-devices-"));
});

function measured(gpu: number | null, processor: number | null): void {
  if (gpu !== null) keepSpeed(weights, ranOf(kokoro, "gpu"), { speed: gpu, hasGpu: true });
  if (processor !== null) keepSpeed(weights, ranOf(kokoro, "cpu"), { speed: processor, hasGpu: false });
}
const devices = (asked: "auto" | "cuda") => openDevicesBySpeed({ asked, weights, gpus: ["cuda"] })(kokoro);

test.each<[gpu: number | null, processor: number | null, used: string[]]>([
  [2.5, 20.8, []],
  [28, 17, ["cuda"]],
  [null, null, ["cuda"]],
  [null, 20, ["cuda"]],
  [2, null, ["cuda"]],
])("measured %p on the GPU and %p on the processor: %p", (gpu, processor, used) => {
  measured(gpu, processor);
  expect(devices("auto")).toEqual(used as ReturnType<typeof devices>);
  expect(devices("cuda")).toEqual(["cuda"]);
});

test("a package is measured on both under auto, else where it will run", () => {
  const on = (device: string) =>
    measuredOn(readConfig({ LOQUAT_DEVICE: device }), ["cuda"]).map(({ engine }) => engine.device);
  expect(on("auto")).toEqual(["cuda", "cpu"]);
  expect(on("cuda")).toEqual(["cuda"]);
  expect(on("cpu")).toEqual(["cpu"]);
});
