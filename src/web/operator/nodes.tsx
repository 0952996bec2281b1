/** The nodes that share the database, where there are several, and the engine nodes that they use. */
import type { Reply } from "../api/server.ts";
import { byteSize, count } from "../format/numbers.ts";
import { span } from "../format/times.ts";
import { Badge, Card } from "../ui/page.tsx";
import { type Column, Table } from "../ui/table.tsx";

type Status = Reply<"GET /api/operator/status">;
type Node = Status["nodes"][number];
type EngineNode = Status["engine_nodes"][number];

const SKEW_MAX_MS = 5000;

type NodesProps = { nodes: Node[]; engineNodes: EngineNode[] };

export function Nodes({ nodes, engineNodes }: NodesProps) {
  return (
    <>
      {nodes.length > 1 && (
        <Card title="Nodes">
          <Table
            caption="Nodes that share the database"
            columns={NODES}
            rows={nodes}
            keyOf={({ id }) => id}
            empty="No nodes."
          />
        </Card>
      )}
      {engineNodes.length > 0 && (
        <Card title="Engine nodes">
          <Table
            caption="Engine nodes"
            columns={ENGINE_NODES}
            rows={engineNodes}
            keyOf={({ instance }) => instance}
            empty="No engine nodes."
          />
        </Card>
      )}
    </>
  );
}

const NODES: Column<Node>[] = [
  { name: "Node", of: ({ id }) => <code className="id">{id}</code> },
  { name: "State", phone: "side", of: (node) => <State node={node} /> },
  { name: "Version", of: ({ version }) => version },
  { name: "Uptime", numeric: true, of: ({ uptime_seconds }) => span(uptime_seconds) },
  { name: "Memory", numeric: true, of: ({ memory_bytes }) => byteSize(memory_bytes) },
  { name: "Packages", numeric: true, of: ({ packages }) => count(packages) },
  { name: "Sessions", numeric: true, of: ({ live_sessions }) => count(live_sessions) },
  { name: "Running", numeric: true, of: ({ running }) => count(running) },
  { name: "Queued", numeric: true, of: ({ waiting }) => count(waiting) },
];

const ENGINE_NODES: Column<EngineNode>[] = [
  { name: "Engine node", of: ({ id }) => <code className="id">{id}</code> },
  {
    name: "State",
    phone: "side",
    of: ({ draining }) => (draining ? <Badge>Draining</Badge> : <Badge tone="good">Running</Badge>),
  },
  { name: "Version", of: ({ version }) => version },
  { name: "Used by", of: ({ nodes }) => <code className="id">{nodes.join(" ")}</code> },
  { name: "Engines", numeric: true, of: ({ engines }) => count(engines) },
  { name: "Running", numeric: true, of: ({ running }) => count(running) },
  { name: "Queued", numeric: true, of: ({ waiting }) => count(waiting) },
];

function State({ node: { draining, skew_ms } }: { node: Node }) {
  if (draining) return <Badge>Draining</Badge>;
  if (Math.abs(skew_ms) > SKEW_MAX_MS)
    return <Badge tone="warn">Clock {span(Math.round(Math.abs(skew_ms) / 1000))} off</Badge>;
  return <Badge tone="good">Running</Badge>;
}
