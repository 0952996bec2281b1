/** The servers of an upstream, as the node that answers sees them. */
import { count } from "../../format/numbers.ts";
import { Badge } from "../../ui/page.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import type { Server, Upstream } from "./upstream.ts";

export function ServerTable({ item: { name, urls, servers } }: { item: Upstream }) {
  if (servers.length === 0)
    return (
      <p>
        <code>{urls.join(" ")}</code> <Badge>Not used yet</Badge>
      </p>
    );
  return (
    <Table
      caption={`Servers of ${name}`}
      columns={SERVERS}
      rows={servers}
      keyOf={({ url }) => url}
      empty="No servers: its name resolves to no address."
    />
  );
}

const SERVERS: Column<Server>[] = [
  {
    name: "Server",
    of: ({ url, last_failure }) => (
      <>
        <code>{url}</code>
        {last_failure && <small className="second-line">Last failure: {last_failure}</small>}
      </>
    ),
  },
  { name: "State", phone: "side", of: ({ state }) => STATES[state] },
  {
    name: "First byte",
    numeric: true,
    of: ({ latency_ms }) => (latency_ms === null ? "–" : `${count(Math.round(latency_ms))} ms`),
  },
  { name: "Running", numeric: true, of: ({ in_flight }) => count(in_flight) },
  { name: "Succeeded", numeric: true, of: ({ succeeded }) => count(succeeded) },
  { name: "Failed", numeric: true, of: ({ failed }) => count(failed) },
];

const STATES = {
  up: <Badge tone="good">Up</Badge>,
  trial: <Badge tone="warn">On trial</Badge>,
  paused: <Badge tone="warn">Busy</Badge>,
  out: <Badge tone="bad">Out</Badge>,
};
