/** Serves an engine node until it is stopped: opens its engines, listens, and drains. */
import { systemClock } from "../../clock.ts";
import type { Config } from "../../config/config.ts";
import { devicesFor } from "../../engine/devices.ts";
import type { Log } from "../../log/log.ts";
import { openBudget } from "../../memory/budget.ts";
import { openMetrics } from "../../metrics/metrics.ts";
import { openPullQueue } from "../../models/pull/pull-queue.ts";
import { openActivity } from "../../usage/activity.ts";
import { tryOutOn } from "../engines/try-out.ts";
import { planFirstPull } from "../first-pull.ts";
import { warmUp } from "../inference.ts";
import type { Drain } from "../lifecycle/drain.ts";
import { notifyServiceManager } from "../lifecycle/service-manager.ts";
import { openMetricsPort } from "../metrics-port.ts";
import { engineEvents, observeServer, workersEnded } from "../monitoring/observations.ts";
import { originsOf } from "../network.ts";
import { openEngineNode } from "./engine-node.ts";
import { openEnginePort } from "./engine-port.ts";

type Running = { log: Log; drain: Drain; stopped: Promise<unknown>; print: (line: string) => void };

export async function serveEngines(config: Config, { log, drain, stopped, print }: Running): Promise<void> {
  const clock = systemClock;
  const packages = planFirstPull(config);
  const metrics = openMetrics();
  await using node = openEngineNode(config, engineEvents(metrics, workersEnded(metrics, log), log), log);
  const { models, engine, http } = config;
  using _observed = observeServer(metrics, {
    registry: node.registry,
    activity: openActivity(clock),
    budget: openBudget(engine.memoryMb * 1024 * 1024),
  });
  const device = devicesFor(engine.device).length > 0 ? "gpu" : "cpu";
  await using pulls = openPullQueue({
    ...{ weights: models.weights, device, mirror: models.mirror },
    tryOut: tryOutOn(config),
  });
  const { draining, closing } = drain.stages;
  const server = openEnginePort({ config, metrics, clock, node, draining });
  await using _metricsPort =
    config.metrics.port === null ? null : openMetricsPort({ config, metrics, clock }, config.metrics.port);
  draining.addEventListener("abort", node.drain);
  print(
    `Loquat listens on ${originsOf(server, http).join(", ")}  (an engine node: it serves API nodes only)`,
  );
  packages.start(pulls, log);
  warmUp(node);
  notifyServiceManager(config.service.notifySocket, "READY=1");
  await stopped;
  const closed = Promise.withResolvers<void>();
  closing.addEventListener("abort", () => void node.close().then(closed.resolve, closed.reject));
  await drain.run(server, () => closed.promise);
}
