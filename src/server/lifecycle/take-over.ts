/**
 * How a server replaces another one of the same machine and data directory without a refused connection:
 *
 *   new:  opens its services ──> ready ──> listens on the same port ──SIGTERM──> ... ──> holds the directory's lock
 *   old:  serves ───────────────────────────────────────────────────────────────> drains, exits
 *
 * Until the new server is ready the old one is left alone, so a new one that fails changes nothing.
 */
import { readFileSync } from "node:fs";
import { type Config, ConfigError } from "../../config/config.ts";
import { isRunning, type RunningServer, runningServer } from "./running-server.ts";

const MIGRATION_SETTING = "/proc/sys/net/ipv4/tcp_migrate_req";

/**
 * Whether the kernel hands connections that a closed listener has not accepted yet to another listener of the port, instead
 * of resetting them; null where it is not Linux 5.14 or later.
 */
export function migratesConnections(path = MIGRATION_SETTING): boolean | null {
  try {
    return readFileSync(path, "utf8").trim() === "1";
  } catch {
    return null;
  }
}

/** Why this server cannot start a successor and leave its port to it; null: it can. */
export function successionObstacle({ http, service }: Config): string | null {
  if (process.platform !== "linux") return "only on Linux do two servers share a port";
  if (!http.reusePort || http.port === 0) return "LOQUAT_REUSE_PORT=1 and a fixed PORT are not set";
  if (process.pid === 1) return "it is the first process of a container, which ends with it";
  if (service.isMain && service.notifySocket === null)
    return "systemd ends the service with this process, unless its unit has Type=notify";
  return null;
}

const POLL_MS = 50;
const READY_WITHIN_MS = 30_000;

/** The server to take over from; null where none runs, and this one starts like any other. */
export function previousServer({ http, data }: Config): RunningServer | null {
  if (!http.reusePort || http.port === 0)
    throw new ConfigError(
      "--take-over needs LOQUAT_REUSE_PORT=1 and a fixed PORT, for the running server and for this one.",
    );
  return runningServer(data.folder);
}

/** Resolves once the app answers its readiness probe with 200. */
export async function becomeReady(
  app: { handle(request: Request): Promise<Response> },
  withinMs = READY_WITHIN_MS,
): Promise<void> {
  const until = performance.now() + withinMs;
  for (;;) {
    const response = await app.handle(new Request("http://localhost/readyz"));
    if (response.ok) return;
    const { reasons } = (await response.json()) as { reasons: string[] };
    if (performance.now() > until)
      throw new ConfigError(
        `The new server is not ready (${reasons.join(", ")}). The running server was left as it is.`,
      );
    await Bun.sleep(POLL_MS);
  }
}

/**
 * Drains the previous server, unless it drains already: a second signal would end it at once. True once its process has
 * ended; false where this server has to stop before.
 */
export async function retire(previous: RunningServer, stopping: AbortSignal): Promise<boolean> {
  if (previous.endsWithinMs === null && isRunning(previous)) process.kill(previous.pid, "SIGTERM");
  while (isRunning(previous)) {
    if (stopping.aborted) return false;
    await Bun.sleep(POLL_MS);
  }
  return true;
}
