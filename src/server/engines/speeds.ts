/** How fast the engines of packages are on this machine, as it was measured. What is known of it plans streams. */
import type { Config } from "../../config/config.ts";
import { devicesFor } from "../../engine/devices.ts";
import { type FamilyTask, familyOf } from "../../engine/families/families.ts";
import type { EngineRegistry } from "../../engine/registry.ts";
import type { Package } from "../../models/packages/package.ts";
import { keepLoudness, keepSpeed, ranOf, readSpeeds } from "../../models/store/measured-speeds.ts";
import type { InstalledPackages } from "../../models/store/model-store.ts";
import { openDevicesBySpeed } from "./devices-by-speed.ts";
import type { Trial } from "./trial.ts";

type Device = Config["engine"]["device"];

/** What a listener or a speaker waits for. */
const PACED: FamilyTask[] = ["synthesis", "recognition", "streaming-recognition"];

/** Seconds of audio for each second of work; null of a package that neither speaks nor recognizes. */
export function speedOf({ family }: Package, { audioSeconds, seconds }: Trial): number | null {
  return PACED.includes(familyOf(family).task) && audioSeconds > 0 ? audioSeconds / seconds : null;
}

/** Keeps in the model store how fast an engine was in a trial, and how loud its voices. */
export function keepTrial({ models, engine }: Config, installed: Package, trial: Trial): void {
  const speed = speedOf(installed, trial);
  if (speed === null) return;
  const hasGpu = devicesFor(engine.device).length > 0;
  keepSpeed(models.weights, ranOf(installed, hasGpu ? "gpu" : "cpu"), { speed, hasGpu });
  if (Object.keys(trial.loudness).length > 0) keepLoudness(models.weights, installed, trial.loudness);
}

type Known = {
  weights: string;
  store: InstalledPackages;
  registry: Pick<EngineRegistry, "speed">;
  device: Device;
};

/** What an engine's last runs took; before them, what was measured when its package was installed; null without either. */
export const speedsOf = ({
  weights,
  store,
  registry,
  device,
}: Known): ((engine: string) => number | null) => {
  const devicesOn = openDevicesBySpeed({ asked: device, weights });
  return (engine) => {
    const installed = store.installed(engine);
    if (!installed) return null;
    const ran = registry.speed(engine);
    if (ran !== null) return ran;
    const hasGpu = devicesOn(installed.package).length > 0;
    return readSpeeds(weights, hasGpu)(ranOf(installed.package, hasGpu ? "gpu" : "cpu"));
  };
};
