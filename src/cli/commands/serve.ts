/**
 * `loquat serve`: opens the services, listens, and on a stop signal drains the server and closes them in reverse.
 */
import type { Command } from "@commander-js/extra-typings";
import { systemClock } from "../../clock.ts";
import { type Config, ConfigError, readConfig } from "../../config/config.ts";
import { withoutNodes } from "../../engine-nodes/api-fleet.ts";
import { OperatorError } from "../../errors.ts";
import { openProcessLog, type ProcessLog } from "../../log/log.ts";
import { buildApp } from "../../server/app.ts";
import { openCompanionPorts } from "../../server/companion-ports.ts";
import { serveEngines } from "../../server/engine-node/serve-engines.ts";
import { planFirstPull } from "../../server/first-pull.ts";
import { warmUp } from "../../server/inference.ts";
import { requireDataFolder } from "../../server/lifecycle/data-folder.ts";
import { openDrain } from "../../server/lifecycle/drain.ts";
import { onceEnded } from "../../server/lifecycle/ending-server.ts";
import { announceServer, type RunningServer } from "../../server/lifecycle/running-server.ts";
import { notifyServiceManager } from "../../server/lifecycle/service-manager.ts";
import { onDebugSignal, stopSignal } from "../../server/lifecycle/signals.ts";
import { openSuccession } from "../../server/lifecycle/succession.ts";
import { becomeReady, previousServer, retire, successionObstacle } from "../../server/lifecycle/take-over.ts";
import { checkAddress, hasOwnCertificate, listen, originsOf, withNetwork } from "../../server/network.ts";
import { openServices, type Services } from "../../server/services.ts";
import { firstStart, lockDatabase, soleServer } from "../../server/storage.ts";
import { asTyped } from "../base/as-typed.ts";
import { keepFirstKey } from "../base/context.ts";
import { addDetails } from "../base/details.ts";
import { greetingOf } from "../base/greeting.ts";
import { printLine } from "../base/output.ts";

const LAME_DUCK_MS = 2000; // load balancers ask every second or so
const FLUSH_MS = 1000;

export function serve(command: Command): void {
  command
    .option("--lan", "listen on the local network, with https")
    .option("--tls-cert <file>", "serve https and wss with this certificate, PEM (default: LOQUAT_TLS_CERT)")
    .option("--tls-key <file>", "the certificate's private key, PEM (default: LOQUAT_TLS_KEY)")
    .option("--take-over", "replace the running server of this data directory (needs LOQUAT_REUSE_PORT=1)")
    .action(run);
  addDetails(
    command,
    `With --lan the server makes its own certificate, so that browsers on other
machines may use the microphone: they warn once, and other programs must trust
the certificate file that the server names.

With --take-over the server opens everything, listens on the same port, and then
stops the running one, which answers what it has taken. If it does not become
ready, it ends, and the running server goes on.`,
  );
}

type Options = Parameters<typeof withNetwork>[1] & { takeOver?: true | undefined };

async function run({ takeOver, ...network }: Options): Promise<void> {
  const config = withNetwork(readConfig(), network);
  const log = openProcessLog({ ...config.log, node: config.node });
  onDebugSignal(log.toggleDebug);
  process.stdout.removeAllListeners("error").on("error", () => {}); // a script may stop reading once it has the address
  try {
    if (config.fleet.role === "engine") await serveEngineNode(config, log, takeOver);
    else await serveUntilStopped(config, log, takeOver ? previousServer(config) : null);
  } catch (cause) {
    if (!log.isJson) throw cause; // printed as the errors of all commands are
    log.error("serve_failed", {
      message: (cause as Error).message,
      ...(!(cause instanceof OperatorError) && { cause }),
    });
    process.exitCode = 1;
  }
  if (!(await log.flushed(FLUSH_MS))) process.exit(); // standard error is not read, so the event loop would never empty
}

async function serveEngineNode(config: Config, log: ProcessLog, takeOver = false): Promise<void> {
  if (takeOver)
    throw new ConfigError("--take-over is for API nodes: API nodes bear the restart of an engine node.");
  await serveEngines(config, {
    log,
    drain: openDrain(limitsOf(config), log),
    stopped: stopSignal(),
    print: printLine,
  });
}

/** `previous`: the server that this one replaces; it is left alone until this one listens. */
async function serveUntilStopped(
  config: Config,
  log: ProcessLog,
  previous: RunningServer | null,
): Promise<void> {
  const packages = planFirstPull(config);
  const { data, http, service } = config;
  requireDataFolder(data.folder); // with PostgreSQL, too: limits and the first key are in it
  using held = new DisposableStack();
  if (!previous) held.use(soleServer(config, await onceEnded(() => lockDatabase(config), { ...data, log })));
  await using services = await openServices(config, systemClock, log);
  services.metrics.observe("loquat_log_lines_dropped_total", log.dropped);
  await using ports = new AsyncDisposableStack();
  const drain = openDrain(limitsOf(config), log);
  const stopped = stopSignal();
  const succession = openSuccession({ ...data, ...service, log });
  if (!previous) await checkAddress(http); // a key that is created before a failed start would never be printed
  const alone = Promise.withResolvers<void>();
  const { cut, draining } = drain.stages;
  const companions = ports.use(await openCompanionPorts(services, { cut, alone: alone.promise }));
  const first = await createFirst(services); // before the server answers: scripts wait for that, and read the key
  const app = buildApp(services, { shutdown: drain.stages });
  if (previous) await becomeReady(app);
  const server = listen(app, config);
  ports.defer(() => server.stop(true));
  const announced = held.use(announceServer(data.folder, successionObstacle(config)));
  void services.cluster.join({ address: originsOf(server, http)[0]!, draining });
  greet(services, { server, first, companions });
  announced.listensAt(services.address.origin());
  packages.start(services.pulls, services.log);
  warmUp(services);
  const hint = packages.hint();
  if (hint) printLine(asTyped(hint));
  const isRetired = previous === null ? Promise.resolve(true) : retire(previous, draining);
  if (await Promise.race([isRetired, stopped.then(() => false)])) {
    alone.resolve();
    if (previous) {
      held.use(soleServer(config));
      log.info("took_over", { from: previous.pid });
    } else notifyServiceManager(service.notifySocket, "READY=1");
  }
  await stopped;
  services.work.drain();
  announced.end(drain.withinMs);
  if (succession.end()) companions.leaveMetrics();
  else notifyServiceManager(service.notifySocket, "STOPPING=1");
  await drain.run(withoutNodes(server, services.fleet), companions.closeWyoming);
}

const limitsOf = ({ shutdown: { drainMs, lameDuckMs } }: Config) => ({
  drainMs,
  lameDuckMs: lameDuckMs ?? (process.stdout.isTTY ? 0 : LAME_DUCK_MS),
});

type Started = {
  server: ReturnType<typeof listen>;
  first: Awaited<ReturnType<typeof createFirst>>;
  companions: Pick<Awaited<ReturnType<typeof openCompanionPorts>>, "metricsUrl" | "wyomingPort">;
};

function greet({ config, address }: Services, { server, first, companions }: Started): void {
  const { metricsUrl, wyomingPort } = companions;
  const [origin, ...others] = originsOf(server, config.http);
  address.listensAt(origin!, ...others);
  const lines = [
    `Loquat listens on ${origin}  (API under /v1)`,
    greetingOf({ origin: address.origin(), ...first, wyomingPort, isTerminal: process.stdout.isTTY }),
    ...(others.length > 0 ? [`  Also at     ${others.join(", ")}`] : []),
    ...(metricsUrl ? [`  Metrics     ${metricsUrl}`] : []),
    ...(hasOwnCertificate(config) ? [certificateLine(config)] : []),
  ];
  printLine(lines.join("\n"));
}

const certificateLine = ({ http }: Config) =>
  `  Certificate ${http.tls?.cert}  (browsers warn once; other programs must trust it)`;

/** What a new installation needs. `firstKey`: null where there was one already. */
async function createFirst(services: Services) {
  const { config, accounts, log } = services;
  const first = await firstStart(services, config.plan);
  const kept = first && keepFirstKey(first, config);
  if (kept?.replaced) log.warn("database_empty", { replaced: kept.replaced });
  const firstKey = first && kept && { secret: first.key.secret, path: kept.path };
  return { firstKey, setUpSecret: await accounts.newSetUpSecret() };
}
