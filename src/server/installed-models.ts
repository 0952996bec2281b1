/** What is installed, kept up to date: the catalogue that clients see, and the registry that starts its engines. */
import type { Config } from "../config.ts";
import type { WorkerEnded } from "../engine/back-off.ts";

import { installedFamilies } from "../engine/families/installed.ts";
import { type EngineRegistry, openRegistry, type TaskEnded } from "../engine/registry.ts";
import { type LiveCatalogue, liveCatalogue } from "../models/live-catalogue.ts";
import { catalogueReader } from "../models/store/installed-catalogue.ts";
import { type ModelStore, openModelStore } from "../models/store/model-store.ts";
import { watchPackages } from "../models/store/watch.ts";
import { packagesOf } from "../natives/store-layout.ts";
import { engineSpecs } from "./engine-specs.ts";

type InstalledModels = AsyncDisposable & {
  store: ModelStore;
  catalogue: LiveCatalogue;
  registry: EngineRegistry;
};

/** What happens in engines: a thread or process has ended unexpectedly, a task has ended. */
export type EngineEvents = { workerEnded?: WorkerEnded; taskEnded?: TaskEnded };

export function openInstalledModels(
  config: Config,
  { workerEnded, taskEnded }: EngineEvents,
): InstalledModels {
  const { weights, folder } = config.models;
  const stack = new AsyncDisposableStack();
  const store = openModelStore(weights);
  const catalogue = liveCatalogue(catalogueReader(folder, store, installedFamilies));
  const registry = stack.use(openRegistry(engineSpecs(config, store, workerEnded), taskEnded));
  const refresh = () => {
    catalogue.refresh();
    const current = new Set(store.list().map((installed) => installed.folder));
    registry.retire((key) => key.startsWith(packagesOf(weights)) && !current.has(key));
  };
  stack.use(watchPackages(weights, refresh));
  return { store, catalogue, registry, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}
