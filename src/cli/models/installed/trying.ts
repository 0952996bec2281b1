/** Tries a package while it is installed, and says how fast it is on this machine. */
import { readConfig } from "../../../config/config.ts";
import { devicesFor } from "../../../engine/devices.ts";
import type { Package } from "../../../models/packages/package.ts";
import { type SpeedOf, slownessOf, speedsHere, thisMachine } from "../../../models/pull/recommend.ts";
import type { TryOut } from "../../../models/store/installed-variants.ts";
import { knownPackages } from "../../../models/store/known-packages.ts";
import { readSpeeds, speedText } from "../../../models/store/measured-speeds.ts";
import { openModelStore } from "../../../models/store/model-store.ts";
import { speedOf as speedOfTrial } from "../../../server/engines/speeds.ts";
import type { Trial } from "../../../server/engines/trial.ts";
import { tryOutOn } from "../../../server/engines/try-out.ts";
import { note } from "../../base/output.ts";

/** What an operator may have instead, and how fast it is here. */
export type Compared = { packages: readonly Package[]; speedOf: SpeedOf };

type Trying = {
  tryOut: TryOut;
  /** Null before it was tried, and where nothing here can run it yet. */
  trial(): Trial | null;
  /** For what was installed: that, and what to use instead of what is too slow. */
  noteSpeed(pkg: Package, compared?: Compared): void;
};

export function openTrying(): Trying {
  let trial: Trial | null = null;
  const ended = (found: Trial | null) => {
    trial = found;
  };
  return {
    tryOut: tryOutOn(readConfig(), { notice: note, ended }),
    trial: () => trial,
    noteSpeed(pkg, compared = comparedHere()) {
      const speed = trial && speedOfTrial(pkg, trial);
      if (speed === null) return;
      const speedOf = (other: Package) => (other.name === pkg.name ? speed : compared.speedOf(other));
      const { packages } = compared;
      const slowness = slownessOf(pkg, { packages, speedOf, isMeasured: true });
      note(slowness ?? `${pkg.name} runs at ${speedText(speed)} times real time on this machine`);
    },
  };
}

function comparedHere(): Compared {
  const { engine, models } = readConfig();
  const machine = thisMachine(devicesFor(engine.device).length > 0);
  const packages = [...knownPackages(models, openModelStore(models.weights)).values()];
  return { packages, speedOf: speedsHere(packages, readSpeeds(models.weights, machine.gpu), machine) };
}
