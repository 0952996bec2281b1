/** The devices that a package runs on: under `auto` not a GPU that was measured to be slower than the processor. */
import type { Config } from "../../config/config.ts";
import { devicesFor, type Gpu } from "../../engine/devices.ts";
import type { Package } from "../../models/packages/package.ts";
import { ranOf, readSpeeds } from "../../models/store/measured-speeds.ts";

type Placing = { asked: Config["engine"]["device"]; weights: string; gpus?: readonly Gpu[] };

/** How often the measured speeds are read: every request asks where its engine runs. */
const LOOK_MS = 1000;

/** `gpus`: what is here; without it, it is looked for. A package that was not measured on both goes to the GPU. */
export function openDevicesBySpeed({
  asked,
  weights,
  gpus = devicesFor(asked),
}: Placing): (installed: Package) => readonly Gpu[] {
  if (asked !== "auto" || gpus.length === 0) return () => gpus;
  const read = () => ({
    lookedMs: performance.now(),
    onGpu: readSpeeds(weights, true),
    onProcessor: readSpeeds(weights, false),
  });
  let known = read();
  return (installed) => {
    if (performance.now() - known.lookedMs >= LOOK_MS) known = read();
    const onGpu = known.onGpu(ranOf(installed, "gpu"));
    const onProcessor = known.onProcessor(ranOf(installed, "cpu"));
    return onGpu !== null && onProcessor !== null && onProcessor > onGpu ? [] : gpus;
  };
}

/** Where a package is measured when it is installed: on the GPU, which decides whether it runs, and on the processor. */
export function measuredOn(
  config: Config,
  gpus: readonly Gpu[] = devicesFor(config.engine.device),
): Config[] {
  const { engine } = config;
  if (engine.device !== "auto" || gpus.length === 0) return [config];
  return [gpus[0]!, "cpu" as const].map((device) => ({ ...config, engine: { ...engine, device } }));
}
