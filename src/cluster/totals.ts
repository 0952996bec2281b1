/** Figures of all nodes together, as each of them reported last. */
import type { Node, NodeReport } from "./node.ts";

/** The sum of each counter that this version has. */
export function countersOf(nodes: readonly Node[], names: readonly string[]): Record<string, number> {
  const sum = (name: string) =>
    nodes.reduce((total, { report }) => total + (Number(report.counters[name]) || 0), 0);
  return Object.fromEntries(names.map((name) => [name, sum(name)]));
}

/** Tasks of each engine on all nodes; loaded where one node has started it. */
export function enginesOf(nodes: readonly Node[]): NodeReport["engines"] {
  const byName = Map.groupBy(
    nodes.flatMap(({ report }) => report.engines),
    ({ name }) => name,
  );
  return [...byName].map(([name, same]) => ({
    name,
    running: same.reduce((sum, { running }) => sum + running, 0),
    waiting: same.reduce((sum, { waiting }) => sum + waiting, 0),
    loaded: same.some(({ loaded }) => loaded),
  }));
}

type ConnectedEngineNode = NodeReport["engineNodes"][number] & {
  /** The nodes that are connected with it. */
  nodes: string[];
};

/** Each engine node once, with the nodes that use it. */
export function engineNodesOf(nodes: readonly Node[]): ConnectedEngineNode[] {
  const seen = nodes.flatMap(({ id, report }) => report.engineNodes.map((each) => ({ ...each, by: id })));
  return [...Map.groupBy(seen, ({ instance }) => instance).values()].map((same) => {
    const { by: _by, ...first } = same[0]!;
    return { ...first, nodes: same.map(({ by }) => by) };
  });
}

/** The tasks of all engines of a node. */
export const tasksOf = ({ engines }: Pick<NodeReport, "engines">): { running: number; waiting: number } => ({
  running: engines.reduce((sum, { running }) => sum + running, 0),
  waiting: engines.reduce((sum, { waiting }) => sum + waiting, 0),
});
