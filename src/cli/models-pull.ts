/** `loquat models pull NAME …`: packages from their sources onto the shelf, with a line that shows how far they are. */

import { readConfig } from "../config.ts";
import { devicesFor } from "../engine/devices.ts";
import type { Package } from "../models/package.ts";
import { type Hub, openHub } from "../models/store/hub.ts";
import { openModelStore } from "../models/store/model-store.ts";
import { megabytes, type Progress, pull } from "../models/store/pull.ts";
import { recommended, thisMachine } from "../models/store/recommend.ts";
import { knownPackage, type Surroundings } from "./models.ts";
import { printLine, UsageError } from "./output.ts";

export async function pullModels(names: string[], { folder, weights, flags }: Surroundings): Promise<void> {
  if (names.length === 0) throw new UsageError("Say which packages to pull, or `recommended`.");
  const { engine, models } = readConfig();
  const gpu = devicesFor(engine.device).length > 0;
  const wanted = names.flatMap((name) => (name === "recommended" ? suited(gpu, weights) : [name]));
  const hub = openHub(flags.mirror ?? models.mirror);
  for (const own of wanted.map((name) => knownPackage(folder, name))) {
    printLine(`${own.name} ${own.version}: ${own.title}`);
    printLine(`  ${own.license.spdx}, ${own.license.attribution}: ${own.license.url}`);
    await pullOne(own, { weights, gpu, hub, flags });
  }
}

function suited(gpu: boolean, weights: string): string[] {
  const store = openModelStore(weights);
  return recommended(thisMachine(gpu)).filter((name) => store.installed(name) === null);
}

type Pulling = Pick<Surroundings, "weights" | "flags"> & { gpu: boolean; hub: Hub };

async function pullOne(own: Package, { weights, gpu, hub, flags }: Pulling): Promise<void> {
  const bar = openBar();
  try {
    await pull(own, {
      weights,
      device: gpu ? "gpu" : "cpu",
      variant: flags.variant ?? null,
      licenseAccepted: flags["accept-license"],
      hub,
      report: bar.show,
    });
  } finally {
    bar.end();
  }
  printLine(`  installed`);
}

const WIDTH = 30;

/** On a terminal one line that is written again and again; elsewhere a line for each tenth. */
function openBar() {
  let told = -1;
  const isTerminal = process.stderr.isTTY;
  return {
    show({ bytes, total }: Progress) {
      const share = total === 0 ? 1 : Math.min(1, bytes / total);
      const step = Math.floor(share * (isTerminal ? 200 : 10));
      if (step === told) return;
      told = step;
      const done = Math.round(share * WIDTH);
      const line = `  ${"█".repeat(done)}${"░".repeat(WIDTH - done)} ${Math.floor(share * 100)} % of ${megabytes(total)}`;
      process.stderr.write(isTerminal ? `\r${line}` : `${line}\n`);
    },
    end() {
      if (isTerminal && told >= 0) process.stderr.write("\n");
    },
  };
}
