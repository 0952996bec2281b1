/** The engine nodes of an API node: it connects to those of LOQUAT_ENGINES, and takes those that connect to it. */
import type { Config, Secret } from "../config/config.ts";
import { type SocketHandlers, socketHandlers } from "../engine/remote/accept.ts";
import { Dialer } from "../engine/remote/dial.ts";
import { Fleet } from "../engine/remote/fleet.ts";
import type { Log } from "../log/log.ts";
import type { Metrics } from "../metrics/metrics.ts";
import { newSelf, trustedCertificate } from "./self.ts";

export type ApiFleet = AsyncDisposable & {
  fleet: Fleet;
  secret: Secret;
  /** For a connection that an engine node opens. */
  accept(): SocketHandlers;
  /** Connections that engine nodes opened. */
  accepted(): number;
};

/** Null where no secret is configured: then no engine node is used. */
export function openApiFleet(config: Config, log: Log, metrics: Metrics): ApiFleet | null {
  const { secret, engines } = config.fleet;
  if (secret === null) return null;
  const fleet = new Fleet(newSelf(config));
  fleet.observe({
    noticed({ change, ...fields }) {
      if (change === "joined") log.info("engine_node_joined", fields);
      else log.warn(change === "left" ? "engine_node_left" : "node_refused", fields);
    },
    faulted: ({ isOut, ...fields }) => log.warn("engine_node_faulty", { ...fields, out: isOut }),
    retried: () => metrics.count("loquat_engine_node_retries_total"),
  });
  metrics.observe("loquat_engine_nodes", () => fleet.nodes().length);
  const ca = trustedCertificate(config.fleet);
  const dialers = engines.map(
    (address) =>
      new Dialer(
        { address, secret, ca },
        {
          connect: (socket) => fleet.connect(socket),
          failed: (reason) => log.warn("node_unreachable", { address, reason }),
        },
      ),
  );
  let accepted = 0;
  return {
    fleet,
    secret,
    accept: () =>
      socketHandlers((socket) => {
        accepted++;
        return fleet.connect(socket, () => accepted--);
      }),
    accepted: () => accepted,
    async [Symbol.asyncDispose]() {
      for (const dialer of dialers) dialer[Symbol.dispose]();
      fleet[Symbol.dispose]();
    },
  };
}

type Counted = { pendingWebSockets: number };

/** A server, without the connections of engine nodes: its own requests need them to the last. */
export function withoutNodes<S extends Counted>(server: S, fleet: ApiFleet | null): S {
  return new Proxy(server, {
    get(target, property) {
      if (property === "pendingWebSockets") return target.pendingWebSockets - (fleet?.accepted() ?? 0);
      const value = Reflect.get(target, property, target) as unknown;
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
