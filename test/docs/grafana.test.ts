/** Promise: the dashboard and the alerts of deploy/grafana name only metrics and labels that exist. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { DEFINITIONS } from "../../src/metrics/definitions.ts";

const read = (name: string) => readFileSync(new URL(`../../deploy/grafana/${name}`, import.meta.url), "utf8");

const SERIES = DEFINITIONS.flatMap(([name, { type }]) =>
  type === "histogram" ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
);
/** Prometheus adds the last ones itself. */
const LABELS = [...DEFINITIONS.flatMap(([, { labels }]) => labels), "le", "job", "instance"];

/** Names in an expression that no series and no label has. */
function unknownIn(expression: string): string[] {
  const names = expression.match(/\b(?:loquat|http|process)_\w+/g) ?? [];
  const grouped = [...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list]) => list!.split(", "));
  const matched = [...expression.matchAll(/[{,]\s*(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label]) => label!);
  const isLabel = (name: string) => LABELS.includes(name);
  return [
    ...names.filter((name) => !SERIES.includes(name) && !isLabel(name)),
    ...[...grouped, ...matched].filter((name) => !isLabel(name)),
  ];
}

/** Every value of the key `expr`. */
function expressionsOf(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === "expr" ? [String(inner)] : expressionsOf(inner),
  );
}

test("a name that does not exist is found", () => {
  expect(unknownIn("rate(loquat_nothing_total[5m])")).toEqual(["loquat_nothing_total"]);
  expect(unknownIn("sum by (organization) (loquat_live_sessions)")).toEqual(["organization"]);
  expect(unknownIn('loquat_refusals_total{code="x", error_type="y"}')).toEqual(["code"]);
  expect(unknownIn("loquat_realtime_lag_seconds")).toEqual(["loquat_realtime_lag_seconds"]);
});

test.each([
  ["loquat.json", JSON.parse],
  ["alerts.yaml", Bun.YAML.parse],
])("deploy/grafana/%s names metrics and labels that exist", (name, parse) => {
  const expressions = expressionsOf(parse(read(name)));
  expect(expressions.length).toBeGreaterThan(10);
  expect(expressions.flatMap(unknownIn)).toEqual([]);
});

test("every metric except the time of the start is on the dashboard", () => {
  const dashboard = read("loquat.json");
  const missing = DEFINITIONS.map(([name]) => name).filter((name) => !dashboard.includes(name));
  expect(missing).toEqual([]);
});
