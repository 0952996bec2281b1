/** Raises what happens to the server as a whole: nodes that come and go, packages that are installed, upstreams that fail. */
import type { Clock } from "../../clock.ts";
import type { Database } from "../../db/database.ts";
import { raisedIfNews, raisedOnce } from "../../db/queries/event-rows.ts";
import type { RaiseNode } from "../../db/queries/node-rows.ts";
import { openRaising } from "../../events/raising.ts";
import type { Log } from "../../log/log.ts";
import type { Asked } from "../../models/pull/package-requests.ts";
import { repeating } from "../../one-at-a-time.ts";
import type { ServerStatus } from "../../upstreams/upstream.ts";
import type { UpstreamSet } from "../../upstreams/upstreams.ts";

/** `clock`: the common time of nodes that share a database. */
type ServerEventDeps = { database: Database; clock: Clock; log: Log };

/** For the transactions of their rows. */
export function raisingNodes(clock: Clock): RaiseNode {
  const raise = openRaising(clock);
  return (what, { id, version }) =>
    raise({ type: `node.${what}`, organizationId: null, data: { id, version } });
}

/** Once for what was asked, by the first node that gets so far. */
export function raisingPackages({ database, clock, log }: ServerEventDeps) {
  const raise = openRaising(clock);
  return (type: "package.installed" | "package.failed", { name, version, variant, askedMs }: Asked): void => {
    const once = { key: `${name} ${variant} ${askedMs}`, at: Math.floor(askedMs / 1000) };
    const data = { package: name, version, variant };
    void raisedOnce(database, raise({ type, organizationId: null, once, data })).then(
      (isNew) => isNew && database.raised?.(),
      (cause: unknown) => log.warn("events_unavailable", { cause }),
    );
  };
}

type UpstreamState = "upstream.out" | "upstream.up";

const STATES = { types: ["upstream.out", "upstream.up"], usual: "upstream.up" };
const LOOK_MS = 2000;

/** Null: nothing is known, or it is being tried. */
function stateOf(servers: readonly ServerStatus[]): UpstreamState | null {
  if (servers.some(({ state, succeeded }) => state === "up" && succeeded > 0)) return "upstream.up";
  return servers.length > 0 && servers.every(({ state }) => state === "out") ? "upstream.out" : null;
}

/** Looks every two seconds at what this node knows of upstreams; only a change costs a transaction. */
export function watchUpstreams(
  { set, servers }: { set: Pick<UpstreamSet, "list">; servers(name: string): readonly ServerStatus[] },
  { database, clock, log }: ServerEventDeps,
): AsyncDisposable {
  const raise = openRaising(clock);
  const known = new Map<string, UpstreamState>();

  async function look(): Promise<void> {
    for (const { definition } of set.list()) {
      const upstream = definition.name;
      const type = stateOf(servers(upstream));
      if (type === null || known.get(upstream) === type) continue;
      await raisedIfNews(database, raise({ type, organizationId: null, data: { upstream } }), STATES);
      known.set(upstream, type);
      database.raised?.();
    }
  }

  return repeating(LOOK_MS, look, (cause) => log.warn("events_unavailable", { cause }));
}
