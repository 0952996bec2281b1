/** This node among those that share a database: how it joins them, what it tells them, and what operators have all of them install. */

import type { Clock } from "../clock.ts";
import { type Cluster, openCluster, type Skew } from "../cluster/cluster.ts";
import { type Machines, watchMachines } from "../cluster/machines.ts";
import { type SharedActivity, shareActivity } from "../cluster/shared-activity.ts";
import type { Config } from "../config/config.ts";
import { openNodeMinuteRows } from "../db/queries/node-minute-rows.ts";
import { openNodeRows } from "../db/queries/node-rows.ts";
import type { ApiFleet } from "../engine-nodes/api-fleet.ts";
import type { Log } from "../log/log.ts";
import type { Metrics } from "../metrics/metrics.ts";
import { openPackageRequests, type PackageRequests } from "../models/pull/package-requests.ts";
import { openPullable } from "../models/store/known-packages.ts";
import type { Activity } from "../usage/activity.ts";
import { auditedPackageRequests } from "./audited-edits.ts";
import type { Inference } from "./inference.ts";
import { openHardware } from "./monitoring/hardware.ts";
import { reportOf } from "./monitoring/node-report.ts";
import { observeNodes } from "./monitoring/observations.ts";
import { raisingNodes, raisingPackages } from "./monitoring/server-events.ts";
import type { Storage } from "./storage.ts";

/** `common`: the time of nodes that share a database. */
type Common = { clock: Clock; common: Clock; log: Log };

type OwnNodeDeps = Inference &
  Common & {
    postgres: Storage["postgres"];
    activity: Activity;
    metrics: Metrics;
    /** Null where no engine nodes are configured. */
    fleet: ApiFleet | null;
    skew: Skew;
  };

type OwnNode = AsyncDisposable & { cluster: Cluster; machines: Machines };

/** It joins the others when the server listens. */
export function openOwnNode(config: Config, deps: OwnNodeDeps): OwnNode {
  const { postgres, metrics } = deps;
  const hardware = openHardware(config.data.folder);
  const rows = postgres && openNodeRows(postgres, raisingNodes(deps.common));
  const of = {
    id: config.node,
    rows,
    report: reportOf(config, { ...deps, hardware }),
    seen: deps.otherNodes.see,
  };
  const stack = new AsyncDisposableStack();
  const cluster = stack.use(openCluster({ ...deps, ...of }));
  const machines = stack.use(watchMachines({ ...deps, ...hardware, ...cluster }));
  observeNodes(metrics, cluster);
  return { cluster, machines, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

export function activityOfAll(
  { node: id }: Config,
  { postgres, ...deps }: Pick<OwnNodeDeps, "postgres" | "activity" | "clock">,
): SharedActivity {
  return shareActivity({ ...deps, id, rows: postgres && openNodeMinuteRows(postgres) });
}

/** What operators have asked all nodes to install, fulfilled here too. The database was asked once when it resolves. */
export async function requestsOf(
  { models }: Config,
  { database, audit, store, pulls, common, clock, log }: Storage & Inference & Common,
): Promise<PackageRequests> {
  const raise = raisingPackages({ database, clock: common, log });
  let isClosing = false; // then pulls fail because they are interrupted
  const requests = openPackageRequests({
    ...{ weights: models.weights, store, pulls, clock },
    rows: auditedPackageRequests({ database, audit }),
    packages: openPullable(models),
    notice: (name, notice) => log.info("package_pull_notice", { package: name, notice }),
    installed: (asked) => raise("package.installed", asked),
    failed(asked, cause) {
      log.warn("package_pull_failed", { package: asked.name, cause });
      if (!isClosing) raise("package.failed", asked);
    },
  });
  await requests.asked;
  return {
    ...requests,
    async [Symbol.asyncDispose]() {
      isClosing = true;
      await requests[Symbol.asyncDispose]();
    },
  };
}
