/** The table of metrics in docs/monitoring.md, drawn from their one list. */
import { DEFINITIONS } from "../../src/metrics/definitions.ts";
import { aligned, withBlock } from "./blocks.ts";

/** The page with its table as the list says. */
export function withMetrics(page: string): string {
  const rows = DEFINITIONS.map(([name, { type, labels, help }]) => [
    `\`${name}\``,
    type,
    labels.map((label) => `\`${label}\``).join(", "),
    help,
  ]);
  const table = aligned([["Metric", "Type", "Labels", "Meaning"], ...rows]);
  return withBlock(page, "metrics", table.join("\n"));
}
