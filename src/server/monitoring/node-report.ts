/** What this node reports to others and to its operators: its load, its packages and its devices. */
import type { NodeReport } from "../../cluster/node.ts";
import type { Config } from "../../config.ts";
import { devicesFor } from "../../engine/devices.ts";
import type { EngineRegistry } from "../../engine/registry.ts";
import type { Catalogue } from "../../models/catalogue.ts";
import type { PullQueue } from "../../models/pull/pull-queue.ts";
import type { ModelStore } from "../../models/store/model-store.ts";
import type { Activity } from "../../usage/activity.ts";

type Reported = {
  store: Pick<ModelStore, "list">;
  pulls: Pick<PullQueue, "states">;
  catalogue: Catalogue;
  registry: Pick<EngineRegistry, "loads">;
  activity: Pick<Activity, "openSessions">;
};

export function reportOf({ engine }: Config, { store, pulls, catalogue, registry, activity }: Reported) {
  const devices = [...devicesFor(engine.device), "cpu"]; // looks for libraries: once
  return (): NodeReport => ({
    runtime: `Bun ${Bun.version}`,
    memoryBytes: process.memoryUsage.rss(),
    threads: engine.threads,
    devices,
    packages: store.list().map(({ package: { name, version } }) => ({ name, version })),
    pulls: pulls.states(),
    engines: enginesOf(catalogue, registry),
    liveSessions: activity.openSessions(),
  });
}

/** Every engine that can run here and every one that does. An engine being replaced is counted with its successor. */
function enginesOf(catalogue: Catalogue, registry: Reported["registry"]): NodeReport["engines"] {
  const engines = new Map(
    runnableIn(catalogue).map((name) => [name, { name, running: 0, waiting: 0, loaded: false }]),
  );
  for (const { name, running, waiting } of registry.loads()) {
    const sum = engines.get(name) ?? { name, running: 0, waiting: 0, loaded: true };
    engines.set(name, {
      name,
      running: sum.running + running,
      waiting: sum.waiting + waiting,
      loaded: true,
    });
  }
  return [...engines.values()];
}

const runnableIn = ({ entries }: Catalogue): string[] =>
  entries.flatMap(({ version }) => {
    if (version === null) return [];
    return (version.type === "tts" ? version.voices : version.hearing.engines).map(({ engine }) => engine);
  });
