/**
 * `loquat serve`: open the parts, listen, and close in reverse when told to stop.
 *
 *   SIGTERM or SIGINT -> no new connection -> what is in flight ends (10 s at most) -> parts close -> the loop empties
 */
import { parseArgs } from "node:util";
import { type Config, ConfigError, readConfig } from "../config.ts";
import { isEmbedded } from "../models/manifest.ts";
import { buildApp } from "../server/app.ts";
import { openServices, type Services } from "../server/services.ts";
import { firstStart, soleServer } from "../server/storage.ts";
import { keepFirstKey } from "./context.ts";
import { printLine } from "./output.ts";

const DRAIN_MS = 10_000;
const STEP_MS = 20;
const SETTLED_MS = 1000; // nobody who comes at once is to wait for the code of signing in

type Server = ReturnType<typeof listen>;

export async function serve(args: string[]): Promise<void> {
  parseArgs({ args, options: {} });
  const config = readConfig();
  using _lock = soleServer(config);
  await using parts = await openServices(config);
  const first = await firstStart(parts);
  const greeting = first ? `\n${keepFirstKey(first, config)}` : "";
  const closing = new AbortController();
  const app = buildApp(parts, { closing: closing.signal });
  const server = listen(app, config);
  parts.address.listensAt(server.url.origin);
  printLine(`Loquat listens on ${server.url.origin}  (API under /v1, documentation at /docs)${greeting}`);
  warm(parts);
  setTimeout(() => void parts.identity.warm(), SETTLED_MS).unref();
  await stopSignal();
  parts.log.info("closing", { inFlight: server.pendingRequests, sessions: server.pendingWebSockets });
  closing.abort();
  await drain(server);
}

/** Not until every connection is gone: stock clients keep idle ones for minutes. */
async function drain(server: Server): Promise<void> {
  void server.stop();
  for (
    let waitedMs = 0;
    server.pendingRequests + server.pendingWebSockets > 0 && waitedMs < DRAIN_MS;
    waitedMs += STEP_MS
  ) {
    await Bun.sleep(STEP_MS);
  }
  await server.stop(true);
}

function listen(app: ReturnType<typeof buildApp>, { http }: Config) {
  try {
    app.listen({ hostname: http.host, port: http.port });
  } catch (error) {
    const reason =
      (error as { code?: string }).code === "EADDRINUSE" ? "is taken by another program" : String(error);
    throw new ConfigError(`PORT ${http.port} on HOST ${http.host} ${reason}. Set PORT to another number.`);
  }
  return app.server!;
}

/** What speaks most is ready before anybody comes, and of packages what comes first; the rest loads when it is asked. */
function warm({ catalogue, registry }: Services): void {
  const speaking = catalogue.voices.map(({ engine }) => engine).filter(isEmbedded);
  const first = catalogue.entries.flatMap(({ version }) => {
    if (version?.type === "tts") return version.voices.slice(0, 1).map(({ engine }) => engine);
    return version ? version.hearing.engines.slice(0, 1).map(({ engine }) => engine) : [];
  });
  for (const engine of new Set([...speaking, ...first.filter((name) => !isEmbedded(name))]))
    registry.warm(engine);
}

function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => resolve());
  });
}
