/**
 * An engine node: the engines of this machine, for the API nodes that hold its secret. It has no database and no keys of
 * customers; what it gets of them are the texts and recordings of tasks, which it keeps nowhere.
 */
import type { Config } from "../../config/config.ts";
import { type SocketHandlers, socketHandlers } from "../../engine/remote/accept.ts";
import { Dialer } from "../../engine/remote/dial.ts";
import type { Offer } from "../../engine/remote/messages.ts";
import type { Socket } from "../../engine/remote/outgoing.ts";
import { openStreamCounter } from "../../engine/remote/stream-ids.ts";
import { TaskServer } from "../../engine/remote/task-server.ts";
import { engineOffers } from "../../engine-nodes/engine-offers.ts";
import { newSelf, trustedCertificate } from "../../engine-nodes/self.ts";
import type { Log } from "../../log/log.ts";
import type { LiveCatalogue } from "../../models/live-catalogue.ts";
import { type EngineEvents, openInstalledModels } from "../installed-models.ts";

export type EngineNode = AsyncDisposable & {
  registry: ReturnType<typeof openInstalledModels>["registry"];
  catalogue: LiveCatalogue;
  /** For a connection that an API node opens; null once the node closes. */
  accept(): SocketHandlers | null;
  /** API nodes send no more tasks. */
  drain(): void;
  /** Resolves when every task was answered, and the connections are closed. */
  close(): Promise<void>;
};

const POLL_MS = 20;

export function openEngineNode(config: Config, events: EngineEvents, log: Log): EngineNode {
  const { secret, join } = config.fleet;
  const stack = new AsyncDisposableStack();
  const peers = new Set<TaskServer>();
  const installed = stack.use(
    openInstalledModels(config, { ...events, changed: () => [...peers].forEach(offer) }),
  );
  const { registry, catalogue } = installed;
  const offers = (): Offer[] => engineOffers({ ...installed, embedded: installed.embedded() });
  const served = { self: newSelf(config), registry, offers, nextStream: openStreamCounter() };
  let stage: "open" | "draining" | "closing" = "open";
  const connect = (socket: Socket) => {
    const peer = new TaskServer(socket, served, {
      greeted: ({ node, version }) => log.info("api_node_joined", { node, version }),
      closed(peerIdentity, reason) {
        peers.delete(peer);
        if (peerIdentity === null) log.warn("node_refused", { reason });
        else log.info("api_node_left", { node: peerIdentity.node, version: peerIdentity.version, reason });
      },
    });
    peers.add(peer);
    if (stage !== "open") peer.drain();
    return peer.link;
  };
  const ca = trustedCertificate(config.fleet);
  const dialers = join.map(
    (address) =>
      new Dialer(
        { address, secret: secret!, ca },
        { connect, failed: (reason) => log.warn("node_unreachable", { address, reason }) },
      ),
  );
  stack.defer(() => {
    for (const dialer of dialers) dialer[Symbol.dispose]();
    for (const { link } of peers) link.close(1001, "the engine node is closing");
  });
  return {
    registry,
    catalogue,
    accept: () => (stage === "closing" ? null : socketHandlers(connect)),
    drain() {
      stage = "draining";
      for (const peer of peers) peer.drain();
    },
    async close() {
      stage = "closing";
      for (const dialer of dialers) dialer.stop();
      for (const peer of [...peers]) peer.closeWhenIdle();
      while (peers.size > 0) await Bun.sleep(POLL_MS);
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

const offer = (peer: TaskServer): void => peer.offer();
