/**
 * `loquat serve`: opens the services, listens, and on a stop signal drains the server and closes them in reverse.
 */
import type { Command } from "@commander-js/extra-typings";
import { systemClock } from "../../clock.ts";
import { type Config, readConfig } from "../../config.ts";
import { openProcessLog, type ProcessLog } from "../../log.ts";
import { isEmbedded } from "../../models/manifest.ts";
import { buildApp } from "../../server/app.ts";
import { planFirstPull } from "../../server/first-pull.ts";
import { openDrain } from "../../server/lifecycle/drain.ts";
import { announceServer, type RunningServer } from "../../server/lifecycle/running-server.ts";
import { onDebugSignal, stopSignal } from "../../server/lifecycle/signals.ts";
import { becomeReady, previousServer, retire } from "../../server/lifecycle/take-over.ts";
import { openMetricsPort } from "../../server/metrics-port.ts";
import { checkAddress, hasOwnCertificate, listen, originsOf, withNetwork } from "../../server/network.ts";
import { openServices, type Services } from "../../server/services.ts";
import { firstStart, soleServer } from "../../server/storage.ts";
import { openWyoming } from "../../server/wyoming.ts";
import { asTyped } from "../base/as-typed.ts";
import { keepFirstKey } from "../base/context.ts";
import { addDetails } from "../base/details.ts";
import { greetingOf } from "../base/greeting.ts";
import { printLine } from "../base/output.ts";

const LAME_DUCK_MS = 2000; // load balancers ask every second or so
const FLUSH_MS = 1000;
const IDENTITY_WARMUP_DELAY_MS = 1000; // the first requests do not wait for loading the sign-in code

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
  const log = openProcessLog(config.log);
  onDebugSignal(log.toggleDebug);
  await serveUntilStopped(config, log, takeOver ? previousServer(config) : null);
  if (!(await log.flushed(FLUSH_MS))) process.exit(); // standard error is not read, so the event loop would never empty
}

/** `previous`: the server that this one replaces; it is left alone until this one listens. */
async function serveUntilStopped(
  config: Config,
  log: ProcessLog,
  previous: RunningServer | null,
): Promise<void> {
  const packages = planFirstPull(config);
  using held = new DisposableStack();
  if (!previous) holdFolder(config, held);
  await using services = await openServices(config, systemClock, log);
  services.metrics.observe("loquat_log_lines_dropped_total", log.dropped);
  await using ports = new AsyncDisposableStack();
  const drain = openDrain(limitsOf(config), log);
  const stopped = stopSignal();
  if (!previous) await checkAddress(config.http); // a key that is created before a failed start would never be printed
  let metricsUrl: string | null = null;
  const openOthers = async () => {
    const { port } = config.metrics;
    if (port !== null) metricsUrl = ports.use(openMetricsPort(services, port)).url;
    return (
      config.wyoming && ports.use(await openWyoming(services, config.wyoming, { cut: drain.stages.cut }))
    );
  };
  let wyoming = previous ? null : await openOthers();
  const first = await createFirst(services); // before the server answers: scripts wait for that, and read the key
  const app = buildApp(services, { shutdown: drain.stages });
  if (previous) await becomeReady(app);
  const server = listen(app, config.http);
  ports.defer(() => server.stop(true));
  const [origin, ...others] = originsOf(server, config.http);
  services.address.listensAt(origin!);
  const greeting = greetingOf({
    origin: services.address.origin(),
    ...first,
    wyomingPort: wyoming?.port ?? null,
  });
  printStart(config, others, { origin: origin!, greeting, metricsUrl, hint: packages.hint });
  packages.start(services.pulls, services.log);
  warmup(services);
  setTimeout(() => void services.identity.warm(), IDENTITY_WARMUP_DELAY_MS).unref();
  const isRetired = previous && retire(previous, drain.stages.draining);
  if (previous && (await Promise.race([isRetired, stopped.then(() => false)]))) {
    holdFolder(config, held);
    wyoming = await openOthers();
    log.info("took_over", { from: previous.pid });
  }
  await stopped;
  await drain.run(server, async () => wyoming?.[Symbol.asyncDispose]());
}

/** One server uses a data directory, and names itself there. */
function holdFolder(config: Config, held: DisposableStack): void {
  held.use(soleServer(config));
  held.use(announceServer(config.data.folder));
}

const limitsOf = ({ shutdown: { drainMs, lameDuckMs } }: Config) => ({
  drainMs,
  lameDuckMs: lameDuckMs ?? (process.stdout.isTTY ? 0 : LAME_DUCK_MS),
});

type Start = { origin: string; greeting: string; metricsUrl: string | null; hint: string | null };

function printStart(config: Config, others: string[], { origin, greeting, metricsUrl, hint }: Start): void {
  const lines = [
    `Loquat listens on ${origin}  (API under /v1)`,
    greeting,
    ...(others.length > 0 ? [`  Also at     ${others.join(", ")}`] : []),
    ...(metricsUrl ? [`  Metrics     ${metricsUrl}`] : []),
    ...(hasOwnCertificate(config) ? [certificateLine(config)] : []),
    ...(hint ? [asTyped(hint)] : []),
  ];
  printLine(lines.join("\n"));
}

const certificateLine = ({ http }: Config) =>
  `  Certificate ${http.tls?.cert}  (browsers warn once; other programs must trust it)`;

/** What a new installation needs. `firstKey`: null where there was one already. */
async function createFirst(services: Services) {
  const { config, accounts } = services;
  const first = await firstStart(services, config.plan);
  const firstKey = first && { secret: first.key.secret, path: keepFirstKey(first, config) };
  return { firstKey, setUpSecret: await accounts.newSetUpSecret() };
}

/** Loads the embedded voices and the first engine of each model; the others load on first use. */
function warmup({ catalogue, registry }: Services): void {
  const voices = catalogue.voices.map(({ engine }) => engine).filter(isEmbedded);
  const first = catalogue.entries.flatMap(({ version }) => {
    if (version?.type === "tts") return version.voices.slice(0, 1).map(({ engine }) => engine);
    return version ? version.hearing.engines.slice(0, 1).map(({ engine }) => engine) : [];
  });
  for (const engine of new Set([...voices, ...first.filter((name) => !isEmbedded(name))]))
    registry.warm(engine);
}
