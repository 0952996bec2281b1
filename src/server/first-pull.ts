/**
 * What a server does about packages when it starts: it pulls those of LOQUAT_PULL in the background, or says in one line
 * what a pull would give.
 */
import { type Config, ConfigError } from "../config/config.ts";
import { devicesFor } from "../engine/devices.ts";
import { familyOf } from "../engine/families/families.ts";
import type { Log } from "../log/log.ts";
import { type Manifest, readManifests } from "../models/manifest.ts";
import { withOffers } from "../models/offers.ts";
import { type Package, PackageError } from "../models/packages/package.ts";
import { totalText } from "../models/packages/size.ts";
import type { PullQueue } from "../models/pull/pull-queue.ts";
import { speedsHere, thisMachine } from "../models/pull/recommend.ts";
import { downloadSize, isCurrent, selectPackages } from "../models/pull/selection.ts";
import { knownPackages, type Places, pullablePackages } from "../models/store/known-packages.ts";
import { readSpeeds } from "../models/store/measured-speeds.ts";
import { type ModelStore, openModelStore } from "../models/store/model-store.ts";

const PROGRESS_MS = 10_000;

export type FirstPull = {
  /** The last line of the greeting; null: there is nothing to say. Reads all packages, so it is for a server that listens. */
  hint(): string | null;
  start(pulls: PullQueue, log: Log): void;
};

/** Throws a `ConfigError` where LOQUAT_PULL names a package that does not exist. */
export function planFirstPull({ models, engine }: Config): FirstPull {
  const store = openModelStore(models.weights);
  if (models.pull.length === 0)
    return { hint: () => (hasNeural(store) ? null : offerOf(models, engine, store)), start: () => {} };
  const { select, total } = selecting(models, engine, store);
  const requested = inVariable("LOQUAT_PULL", () => select(models.pull)).filter(
    (pkg) => !isCurrent(pkg, store),
  );
  inVariable("LOQUAT_ACCEPT_LICENSES", () => select(models.acceptedLicenses));
  const accepted = new Set(models.acceptedLicenses);
  const pulled = requested.filter(({ name, license }) => !license.acceptance || accepted.has(name));
  const names = pulled.map(({ name }) => name).join(", ");
  return {
    hint: () => (pulled.length > 0 ? `Pulling ${names} in the background, ${total(pulled)}` : null),
    start: (pulls, log) => pullAll(requested, { accepted, pulls, log }),
  };
}

type Engine = Config["engine"];

/** Such as "Natural voices: loquat models pull recommended, 163 MB". */
function offerOf(places: Places, engine: Engine, store: ModelStore): string | null {
  const { select, total } = selecting(places, engine, store);
  const recommended = select(["recommended"]);
  if (recommended.length === 0) return null;
  const manifests = readManifests(places.folder, knownPackages(places, store).keys());
  return `${benefitOf(recommended, manifests)}: loquat models pull recommended, ${total(recommended)}`;
}

/** Packages by name or group, and what this machine would download of them. */
function selecting(places: Places, { device }: Engine, store: ModelStore) {
  const packages = pullablePackages(places);
  const machine = thisMachine(devicesFor(device).length > 0);
  const speedOf = speedsHere(packages.values(), readSpeeds(places.weights, machine.gpu), machine);
  return {
    select: (names: string[]) => selectPackages(names, { packages, machine, store, speedOf }),
    total: (selected: Package[]) => totalText(selected.map((pkg) => downloadSize(pkg, machine))),
  };
}

function inVariable<T>(name: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof PackageError) throw new ConfigError(`${name}: ${error.message}`, { cause: error });
    throw error;
  }
}

const NEURAL = ["synthesis", "recognition", "streaming-recognition"];
const taskOf = ({ family }: Package) => familyOf(family).task;
const hasNeural = (store: ModelStore) =>
  store.list().some(({ package: pkg }) => NEURAL.includes(taskOf(pkg)));

/** Such as "Natural voices and 25-language transcription". */
function benefitOf(packages: Package[], manifests: Manifest[]): string {
  const names = new Set(packages.map(({ name }) => name));
  const languages = new Set(
    manifests
      .map((manifest) => withOffers(manifest, packages))
      .flatMap((manifest) => (manifest.type === "stt" ? manifest.recognition.engines : []))
      .filter(({ engine }) => names.has(engine))
      .flatMap((engine) => engine.languages),
  );
  const benefits = [
    ...(packages.some((pkg) => taskOf(pkg) === "synthesis") ? ["natural voices"] : []),
    ...(languages.size > 0 ? [`${languages.size}-language transcription`] : []),
  ];
  const text = benefits.join(" and ") || "better models";
  return text[0]!.toUpperCase() + text.slice(1);
}

type Pulling = { accepted: ReadonlySet<string>; pulls: PullQueue; log: Log };

/** A package that fails does not keep the others from being installed. */
function pullAll(packages: Package[], { accepted, pulls, log }: Pulling): void {
  const running = new Set<string>();
  const timer = setInterval(() => {
    for (const name of running) {
      const { bytes = 0, total = 0 } = pulls.state(name) ?? {};
      if (total > 0) log.info("package_pull_progress", { package: name, bytes, total });
    }
  }, PROGRESS_MS);
  timer.unref();
  const pulled = packages.map(async (pkg) => {
    const notice = (line: string) => log.info("package_pull_notice", { package: pkg.name, notice: line });
    running.add(pkg.name);
    try {
      await pulls.start(pkg, { licenseAccepted: accepted.has(pkg.name), notice });
      log.info("package_pulled", { package: pkg.name, version: pkg.version });
    } catch (cause) {
      const license = pkg.license.acceptance && !accepted.has(pkg.name);
      if (license) log.warn("package_license_not_accepted", licenseFields(pkg));
      else log.warn("package_pull_failed", { package: pkg.name, cause });
    } finally {
      running.delete(pkg.name);
    }
  });
  void Promise.all(pulled).finally(() => clearInterval(timer));
}

const licenseFields = ({ name, license }: Package) => ({
  package: name,
  license: license.spdx,
  url: license.url,
  accept: `LOQUAT_ACCEPT_LICENSES=${name}`,
});
