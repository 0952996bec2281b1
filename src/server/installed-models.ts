/** What is installed, kept up to date: the catalogue that clients see, and the registry that starts its engines. */

import { type OtherNodes, openOtherNodes, withOtherNodes } from "../cluster/other-nodes.ts";
import type { Config } from "../config/config.ts";
import type { WorkerEnded } from "../engine/back-off.ts";
import { installedFamilies } from "../engine/families/installed.ts";
import { type EngineRegistry, openRegistry, type TaskEnded } from "../engine/registry.ts";
import type { Fleet } from "../engine/remote/fleet.ts";
import { withFleet } from "../engine/remote/fleet-registry.ts";
import { fleetFamilies, fleetPackages } from "../engine-nodes/fleet-packages.ts";
import { type LiveCatalogue, liveCatalogue, type OwnPrices } from "../models/live-catalogue.ts";
import { catalogueReader } from "../models/store/installed-catalogue.ts";
import {
  type InstalledPackages,
  type ModelStore,
  openModelStore,
  runnable,
} from "../models/store/model-store.ts";
import { watchPackages } from "../models/store/watch.ts";
import {
  type LiveUpstreams,
  openLiveUpstreams,
  openUpstreamSet,
  type UpstreamFailed,
  type UpstreamSet,
} from "../upstreams/upstreams.ts";
import { engineSpecs, isOwnEngine } from "./engines/engine-specs.ts";

type InstalledModels = AsyncDisposable & {
  /** What this node has itself: packages, embedded families, and how each engine is started. */
  store: ModelStore;
  embedded(): ReadonlySet<string>;
  find: ReturnType<typeof engineSpecs>;
  /** With what engine nodes have. */
  packages: InstalledPackages;
  catalogue: LiveCatalogue;
  registry: EngineRegistry;
  upstreams: Upstreams;
  /** Whether this node, one of its engine nodes or an upstream runs the engine. */
  runsHere(engine: string): boolean;
  otherNodes: OtherNodes;
};

/** What is in force, and how its servers are. */
export type Upstreams = Pick<LiveUpstreams, "servers" | "listener" | "languageModel"> & {
  set: UpstreamSet;
  /** Puts the operator's own definitions in force; returns the faults of those that cannot be used. */
  use(stored: readonly unknown[]): string[];
};

/** Called once for each damage, `fault`. */
type PackageDamaged = (name: string, fault: string) => void;

/**
 * What happens in engines: a thread or process has ended unexpectedly, a task has ended, other packages are installed, one
 * is damaged, a request to an upstream failed.
 */
export type EngineEvents = {
  workerEnded?: WorkerEnded;
  taskEnded?: TaskEnded;
  changed?: () => void;
  packageDamaged?: PackageDamaged;
  upstreamFailed?: UpstreamFailed;
};

/** `fleet`: the engine nodes of this one. `prices`: absent: those of the manifests hold. */
export function openInstalledModels(
  config: Config,
  { workerEnded, taskEnded, changed = () => {}, packageDamaged = () => {}, upstreamFailed }: EngineEvents,
  { fleet = null, prices = null }: { fleet?: Fleet | null | undefined; prices?: OwnPrices | null } = {},
): InstalledModels {
  const { weights, folder } = config.models;
  const stack = new AsyncDisposableStack();
  const store = openModelStore(weights);
  const set = openUpstreamSet(folder);
  const live = stack.use(openLiveUpstreams(set, upstreamFailed));
  let embedded = installedFamilies();
  const packages = fleet ? fleetPackages(store, fleet) : store;
  const families = () => new Set([...embedded, ...(fleet ? fleetFamilies(fleet) : [])]);
  const isLocal = (name: string) =>
    isOwnEngine(name, embedded) || store.installed(name) !== null || set.has(name);
  const runsHere = (name: string) =>
    isLocal(name) || (fleet !== null && runnable(packages, families())(name));
  const otherNodes = openOtherNodes(runsHere, () => catalogue.refresh());
  const elsewhere = { ...set, has: (name: string) => set.has(name) || otherNodes.has(name) };
  const catalogue = liveCatalogue(
    catalogueReader(config.models, { store: packages, embedded: families, elsewhere }),
    prices,
  );
  const find = engineSpecs(config, store, workerEnded);
  const local = stack.use(openRegistry((name) => live.spec(name) ?? find(name), { ended: taskEnded }));
  const registry = withOtherNodes(fleet ? withFleet(local, fleet, isLocal) : local, otherNodes);
  fleet?.observe({ changed: catalogue.refresh });
  const reportDamage = damageReporter(store, packageDamaged);
  reportDamage();
  const refresh = () => {
    store.lookAgain();
    embedded = installedFamilies();
    catalogue.refresh();
    live.refresh();
    local.retire();
    reportDamage();
    changed();
  };
  stack.use(watchPackages(weights, refresh));
  const upstreams = usedUpstreams(set, live, refresh);
  return {
    store,
    embedded: () => embedded,
    find,
    packages,
    catalogue,
    registry,
    upstreams,
    runsHere,
    otherNodes,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** `refresh`: called where others are used. */
function usedUpstreams(set: UpstreamSet, live: LiveUpstreams, refresh: () => void): Upstreams {
  let usedCount = 0;
  return {
    set,
    servers: live.servers,
    listener: live.listener,
    languageModel: live.languageModel,
    use(stored) {
      const faults = set.use(stored);
      if (usedCount + stored.length > 0) refresh();
      usedCount = stored.length;
      return faults;
    },
  };
}

/** Reports what is damaged now, and was not when it was called last. */
function damageReporter(store: ModelStore, report: PackageDamaged): () => void {
  let known: ReturnType<ModelStore["damaged"]> = new Map();
  return () => {
    const damaged = store.damaged();
    for (const [name, fault] of damaged) if (known.get(name) !== fault) report(name, fault);
    known = damaged;
  };
}
