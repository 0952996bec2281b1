/** What this node reports to others and to its operators: its load, its packages and its devices. */
import type { NodeReport } from "../../cluster/node.ts";
import type { Config } from "../../config/config.ts";
import { devicesFor } from "../../engine/devices.ts";
import type { EngineRegistry } from "../../engine/registry.ts";
import type { EnginePeer } from "../../engine/remote/engine-peer.ts";
import type { Fleet } from "../../engine/remote/fleet.ts";
import type { Metrics } from "../../metrics/metrics.ts";
import { type Catalogue, enginesOf } from "../../models/catalogue.ts";
import type { PullQueue } from "../../models/pull/pull-queue.ts";
import type { ModelStore } from "../../models/store/model-store.ts";
import type { Activity } from "../../usage/activity.ts";
import type { Hardware } from "./hardware.ts";

type Reported = {
  store: Pick<ModelStore, "list">;
  pulls: Pick<PullQueue, "states">;
  catalogue: Catalogue;
  registry: Pick<EngineRegistry, "loads">;
  activity: Pick<Activity, "openSessions">;
  metrics: Pick<Metrics, "counters">;
  hardware: Pick<Hardware, "use">;
  /** Null where no engine nodes are configured. */
  fleet: { fleet: Pick<Fleet, "nodes"> } | null;
  /** What only other nodes run is theirs to report. */
  runsHere: (engine: string) => boolean;
};

export function reportOf({ engine }: Config, reported: Reported) {
  const { store, pulls, activity, metrics, fleet, hardware } = reported;
  const devices = [...devicesFor(engine.device), "cpu"]; // looks for libraries: once
  return (): NodeReport => ({
    runtime: `Bun ${Bun.version}`,
    memoryBytes: process.memoryUsage.rss(),
    machine: hardware.use(),
    threads: engine.threads,
    devices,
    packages: store.list().map(({ package: { name, version } }) => ({ name, version })),
    pulls: pulls.states(),
    engines: loadsOf(reported),
    liveSessions: activity.openSessions(),
    counters: metrics.counters() as Record<string, number>,
    engineNodes: (fleet?.fleet.nodes() ?? []).slice(0, ENGINE_NODES_MAX).map(engineNodeOf),
  });
}

const ENGINE_NODES_MAX = 200;

function engineNodeOf(peer: EnginePeer): NodeReport["engineNodes"][number] {
  const { node = "", instance = "", version = "" } = peer.identity ?? {};
  const loads = peer.loads();
  return {
    ...{ id: node, instance, version, draining: peer.isDraining, engines: peer.offers().length },
    running: loads.reduce((sum, { running }) => sum + running, 0),
    waiting: loads.reduce((sum, { waiting }) => sum + waiting, 0),
  };
}

/** Every engine that can run here and every one that does. An engine being replaced is counted with its successor. */
function loadsOf({ catalogue, registry, runsHere }: Reported): NodeReport["engines"] {
  const runnable = catalogue.entries.flatMap(({ version }) => enginesOf(version)).filter(runsHere);
  const engines = new Map(runnable.map((name) => [name, { name, running: 0, waiting: 0, loaded: false }]));
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
