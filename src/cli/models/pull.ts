/** `loquat models pull`: downloads and installs packages. */
import type { Command } from "@commander-js/extra-typings";
import { byteText } from "../../byte-text.ts";
import { readConfig } from "../../config/config.ts";
import { devicesFor } from "../../engine/devices.ts";
import type { Package } from "../../models/packages/package.ts";
import { sizeText, totalText } from "../../models/packages/size.ts";
import { type Hub, openHub } from "../../models/pull/hub.ts";
import { type Progress, pull as pullPackage } from "../../models/pull/pull.ts";
import { slownessOf, speedsHere, thisMachine, tooSlow, tooSlowText } from "../../models/pull/recommend.ts";
import { downloadSize, selectPackages } from "../../models/pull/selection.ts";
import { knownPackages } from "../../models/store/known-packages.ts";
import { readSpeeds } from "../../models/store/measured-speeds.ts";
import { openModelStore } from "../../models/store/model-store.ts";
import { ModelStoreError } from "../../models/store/store-error.ts";
import { asTyped } from "../base/as-typed.ts";
import { note, printLine } from "../base/output.ts";
import { openProgressBar } from "../base/progress-bar.ts";
import { builtInFor } from "./installed/built-in.ts";
import { knownPackage, openCatalogue } from "./installed/packages.ts";
import { type Compared, openTrying } from "./installed/trying.ts";

export function pull(command: Command): void {
  command
    .command("pull")
    .description("Download and install packages")
    .argument("<name...>", "package names, or `recommended`: what suits this machine")
    .option(
      "--variant <precision>",
      "such as fp32 or int8, beside what is installed (default: what suits the device)",
    )
    .option("--mirror <url>", "prepended to every download URL (default: LOQUAT_MIRROR)")
    .option("--accept-license", "accept licences that restrict use")
    .action(run);
}

type Options = {
  variant?: string | undefined;
  mirror?: string | undefined;
  acceptLicense?: true | undefined;
};
type Target = Omit<Parameters<typeof pullPackage>[1], "report" | "hub" | "tryOut"> & {
  mirror: string | null;
  /** Of the packages before. */
  silent: Hub["silent"];
};

async function run(names: string[], { variant, mirror, acceptLicense }: Options): Promise<void> {
  const { engine, models } = readConfig();
  const machine = thisMachine(devicesFor(engine.device).length > 0);
  for (const name of names) if (name !== "recommended") knownPackage(name);
  const store = openModelStore(models.weights);
  const packages = knownPackages(models, store);
  const speedOf = speedsHere(packages.values(), readSpeeds(models.weights, machine.gpu), machine);
  const selected = selectPackages(names, { packages, machine, store, speedOf });
  const slow = names.includes("recommended") ? tooSlow(packages.values(), machine, speedOf) : [];
  const catalogue = slow.length > 0 ? await openCatalogue() : null;
  for (const pkg of slow) note(tooSlowText(pkg, { speedOf, builtIn: builtInFor(pkg, catalogue!) }));
  if (selected.length === 0) return note("Everything that is recommended for this machine is installed.");
  announce(selected, (pkg) => downloadSize(pkg, machine, variant));
  const target: Target = {
    weights: models.weights,
    device: machine.gpu ? "gpu" : "cpu",
    variant: variant ?? null,
    licenseAccepted: acceptLicense ?? false,
    mirror: mirror ?? models.mirror,
    silent: new Map(),
  };
  const failed: string[] = [];
  const compared = { packages: [...packages.values()], speedOf };
  for (const pkg of selected) {
    if (!(await succeeds(pkg, target, compared))) failed.push(pkg.name);
  }
  if (failed.length === 0) return;
  if (selected.length > 1)
    note(`${failed.length} of ${selected.length} packages failed: ${failed.join(", ")}`);
  process.exitCode = 1;
}

/** What will be downloaded, before it is. */
function announce(selected: Package[], bytesOf: (pkg: Package) => number | null): void {
  if (selected.length === 1) return;
  for (const pkg of selected)
    note(`${pkg.name}: ${sizeText(bytesOf(pkg))}, ${pkg.license.spdx}, ${pkg.title}`);
  note(`${selected.length} packages, ${totalText(selected.map(bytesOf))}\n`);
}

/** A package that fails does not keep the next one from being tried; hosts that gave no answer are not asked again for it. */
async function succeeds(pkg: Package, target: Target, compared: Compared): Promise<boolean> {
  const { license } = pkg;
  const size = downloadSize(pkg, { gpu: target.device === "gpu" }, target.variant);
  note(`${pkg.name} ${pkg.version}: ${pkg.title}, ${size === null ? "size unknown" : byteText(size)}`);
  note(`  ${license.spdx}, ${license.attribution}: ${license.url}`);
  const slowness = target.variant === null && slownessOf(pkg, { ...compared, isMeasured: false });
  if (slowness) note(`  ${slowness}`);
  const trying = openTrying();
  const isAdvised = target.silent.size > 0;
  try {
    using bar = openProgressBar();
    const notice = (line: string) => bar.note(asTyped(line));
    const hub = openHub(target.mirror, { notice: isAdvised ? () => {} : notice, silent: target.silent });
    let isSizeKnown = size !== null;
    const report = (progress: Progress) => {
      if (!isSizeKnown) bar.note(`${byteText(progress.total)}, as its source declares`);
      isSizeKnown = true;
      bar.update(progress);
    };
    await pullPackage(pkg, { ...target, hub, report, tryOut: trying.tryOut });
  } catch (error) {
    if (!(error instanceof ModelStoreError)) throw error;
    note(isAdvised ? error.summary : error.message);
    return false;
  }
  printLine(`installed  ${pkg.name} ${pkg.version}`);
  trying.noteSpeed(pkg, compared);
  return true;
}
