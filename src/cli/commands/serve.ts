/**
 * `loquat serve`: opens the services, listens, and closes them in reverse on a stop signal.
 *
 *   SIGTERM or SIGINT -> no new connections -> requests in flight end (10 s at most) -> services close -> the loop empties
 */
import type { Command } from "@commander-js/extra-typings";
import { type Config, readConfig } from "../../config.ts";
import { isEmbedded } from "../../models/manifest.ts";
import { buildApp } from "../../server/app.ts";
import { planFirstPull } from "../../server/first-pull.ts";
import { checkAddress, hasOwnCertificate, listen, originsOf, withNetwork } from "../../server/network.ts";
import { openServices, type Services } from "../../server/services.ts";
import { firstStart, soleServer } from "../../server/storage.ts";
import { openWyoming } from "../../server/wyoming.ts";
import { keepFirstKey } from "../base/context.ts";
import { addDetails } from "../base/details.ts";
import { greetingOf } from "../base/greeting.ts";
import { printLine } from "../base/output.ts";

const DRAIN_MS = 10_000;
const POLL_MS = 20;
const IDENTITY_WARMUP_DELAY_MS = 1000; // the first requests do not wait for loading the sign-in code

type Server = ReturnType<typeof listen>;

export function serve(command: Command): void {
  command
    .option("--lan", "listen on the local network, with https")
    .option("--tls-cert <file>", "serve https and wss with this certificate, PEM (default: LOQUAT_TLS_CERT)")
    .option("--tls-key <file>", "the certificate's private key, PEM (default: LOQUAT_TLS_KEY)")
    .action(run);
  addDetails(
    command,
    `With --lan the server makes a certificate of its own, so that browsers on other
machines may use the microphone: they warn once, and other programs must trust
the certificate file that the server names.`,
  );
}

async function run(options: Parameters<typeof withNetwork>[1]): Promise<void> {
  const config = withNetwork(readConfig(), options);
  const packages = planFirstPull(config);
  using _lock = soleServer(config);
  await using services = await openServices(config);
  await using ports = new AsyncDisposableStack();
  const closing = new AbortController();
  const stopped = stopSignal();
  await checkAddress(config.http); // a key that is created before a failed start would never be printed
  const wyoming = config.wyoming && ports.use(await openWyoming(services, config.wyoming));
  const first = await createFirst(services); // before the server answers: scripts wait for that, and read the key
  const server = listen(buildApp(services, { closing: closing.signal }), config.http);
  ports.defer(() => server.stop(true));
  const [origin, ...others] = originsOf(server, config.http);
  services.address.listensAt(origin!);
  const lines = [
    `Loquat listens on ${origin}  (API under /v1)`,
    greetingOf({ origin: services.address.origin(), ...first, wyomingPort: wyoming?.port ?? null }),
    ...(others.length > 0 ? [`  Also at     ${others.join(", ")}`] : []),
    ...(hasOwnCertificate(config) ? [certificateLine(config)] : []),
    ...(packages.hint ? [packages.hint] : []),
  ];
  printLine(lines.join("\n"));
  packages.start(services.pulls, services.log);
  warmup(services);
  setTimeout(() => void services.identity.warm(), IDENTITY_WARMUP_DELAY_MS).unref();
  await stopped;
  services.log.info("closing", { inFlight: server.pendingRequests, sessions: server.pendingWebSockets });
  closing.abort();
  await Promise.all([drain(server), wyoming?.[Symbol.asyncDispose]()]);
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

/** Waits for requests and sessions, not for connections: clients keep idle ones open for minutes. */
async function drain(server: Server): Promise<void> {
  void server.stop();
  for (
    let waitedMs = 0;
    server.pendingRequests + server.pendingWebSockets > 0 && waitedMs < DRAIN_MS;
    waitedMs += POLL_MS
  ) {
    await Bun.sleep(POLL_MS);
  }
  await server.stop(true);
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

function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => resolve());
  });
}
