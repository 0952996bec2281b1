/** What `loquat doctor` finds of the nodes that share a database: their versions and clocks. */
import { systemClock } from "../../clock.ts";
import { isFar } from "../../cluster/node.ts";
import type { Config } from "../../config/config.ts";
import { type SeenNodes, seenNodes } from "../../db/seen-nodes.ts";
import { printFinding, printLine } from "../base/output.ts";

/** Null where the database is embedded. */
export type NodeReport = (Partial<SeenNodes> & { missing: string | null }) | null;

export async function examineNodes({ data }: Config): Promise<NodeReport> {
  if (data.url === null) return null;
  try {
    return { ...(await seenNodes(data.url, systemClock.now)), missing: null };
  } catch (error) {
    return { missing: (error as Error).message };
  }
}

export function printNodes(report: NodeReport): void {
  if (report === null) return;
  const { missing, skewMs = 0, nodes = [] } = report;
  printLine("");
  if (missing !== null) return void printFinding(`  missing  PostgreSQL: ${missing}`);
  printFinding(
    isFar(skewMs)
      ? `  missing  the right time: this clock is ${skewText(skewMs)} the database's`
      : "  ready    PostgreSQL",
  );
  for (const { id, address, version, draining } of nodes)
    printFinding(`  ready    node ${id} at ${address}, ${version}${draining ? ", draining" : ""}`);
  for (const { id, skewMs } of nodes.filter((node) => isFar(node.skewMs)))
    printFinding(`  missing  the right time on node ${id}: its clock is ${skewText(skewMs)} the database's`);
  const versions = new Set(nodes.map(({ version }) => version));
  if (versions.size > 1) printFinding(`  missing  one version: nodes run ${[...versions].join(" and ")}`);
}

const skewText = (skewMs: number) =>
  `${Math.round(Math.abs(skewMs) / 1000)} s ${skewMs > 0 ? "ahead of" : "behind"}`;
