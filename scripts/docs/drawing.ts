/** Draws docs/architecture.md from the import table: areas in layers, each importing only from the layers below it. */

import { REACHES, ROOTS, WORKERS_REACH } from "../tidy/import-map.ts";
import { withBlock } from "./blocks.ts";

type Graph = Map<string, Set<string>>;

/** Folders whose subfolders are areas of their own. */
const SPLIT = ["src/api"];

/** `src/models/store` -> `models`, `src/api/v1/realtime` -> `api/v1`. */
function areaOf(folder: string): string {
  const parts = folder.split("/");
  const depth = SPLIT.includes(parts.slice(0, 2).join("/")) ? 3 : 2;
  return parts.slice(1, depth).join("/").replace(/\.ts$/, "");
}

function graphOf(reaches: Record<string, string[]>): Graph {
  const graph: Graph = new Map();
  for (const [folder, targets] of Object.entries(reaches)) {
    const area = areaOf(folder);
    const known = graph.get(area) ?? new Set<string>();
    for (const target of targets.map(areaOf)) if (target !== area) known.add(target);
    graph.set(area, known);
  }
  return graph;
}

/** The longest way down. */
function levelOf(area: string, graph: Graph): number {
  const targets = [...(graph.get(area) ?? [])];
  return targets.length === 0 ? 0 : 1 + Math.max(...targets.map((target) => levelOf(target, graph)));
}

/** Without the targets that are also below another target. */
function directTargets(area: string, graph: Graph): string[] {
  const below = (from: string): Set<string> =>
    new Set([...(graph.get(from) ?? [])].flatMap((target) => [target, ...below(target)]));
  const targets = [...(graph.get(area) ?? [])];
  return targets.filter((target) => !targets.some((other) => other !== target && below(other).has(target)));
}

function server(): Graph {
  const entries = Object.entries(REACHES).filter(([folder]) => !folder.startsWith("src/web"));
  const graph = graphOf(Object.fromEntries(entries));
  const areas = [...graph.keys()];
  const roots = [...new Set(ROOTS.map(areaOf))];
  for (const [index, root] of roots.entries()) {
    const next = roots[index + 1];
    graph.set(root, new Set(next ? [next] : areas));
  }
  return graph;
}

/** One line a layer, from the top; the areas that import nothing of the others are last. */
function drawLayers(): string {
  const graph = server();
  const layers = Map.groupBy([...graph.keys()].sort(), (area) => levelOf(area, graph));
  const rows = [...layers.keys()].sort((a, b) => b - a).map((level) => layers.get(level)!.join("   "));
  const width = Math.max(...rows.map((row) => row.length));
  const centred = (text: string) => " ".repeat(Math.floor((width - text.length) / 2)) + text;
  return rows.map(centred).join(`\n${centred("↓")}\n`);
}

/** What each area imports, without what it also reaches through another area. */
function drawImports(): string {
  const graph = server();
  const areas = [...graph.keys()].sort((a, b) => levelOf(b, graph) - levelOf(a, graph) || (a < b ? -1 : 1));
  const width = Math.max(...areas.map((area) => area.length), "workers".length);
  const row = (area: string, targets: string[]) =>
    targets.length === 0 ? [] : [`${area.padEnd(width)} -> ${targets.sort().join(", ")}`];
  const workers = [...new Set(WORKERS_REACH.map(areaOf))];
  return [...areas.flatMap((area) => row(area, directTargets(area, graph))), ...row("workers", workers)].join(
    "\n",
  );
}

/** The page with both drawings between their markers. */
export function withDrawings(page: string): string {
  return withBlock(withBlock(page, "layers", fenced(drawLayers())), "imports", fenced(drawImports()));
}

const fenced = (text: string): string => `\`\`\`\n${text}\n\`\`\``;
