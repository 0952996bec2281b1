/** Promise: an operator sees the figures of all nodes together, whichever of them answers. */
import { expect, test } from "bun:test";
import { type Node, type NodeReport, readReport } from "../../src/cluster/node.ts";
import { countersOf, engineNodesOf, enginesOf } from "../../src/cluster/totals.ts";

const nodeWith = (id: string, report: Partial<NodeReport>): Node => ({
  ...{ id, address: "", version: "1", startedMs: 0, ageMs: 0, skewMs: 0, draining: false },
  report: readReport(report),
});
const GPU = { id: "gpu", version: "1", draining: false, engines: 2, running: 1, waiting: 0 };

test("counters are summed by name, and those that only another version has are left out", () => {
  const nodes = [
    nodeWith("a", { counters: { requests: 2, newer: 1 } }),
    nodeWith("b", { counters: { requests: 3 } }),
    nodeWith("older", {}),
  ];
  expect(countersOf(nodes, ["requests", "retries"])).toEqual({ requests: 5, retries: 0 });
});

test("an engine is listed once, with the tasks of all nodes", () => {
  const flite = { name: "flite", running: 1, waiting: 2, loaded: true };
  const idle = { name: "flite", running: 0, waiting: 0, loaded: false };
  const kokoro = { name: "kokoro-82m", running: 0, waiting: 0, loaded: false };
  const nodes = [nodeWith("a", { engines: [idle, kokoro] }), nodeWith("b", { engines: [flite] })];
  expect(enginesOf(nodes)).toEqual([flite, kokoro]);
});

test("an engine node that several nodes use is listed once, two of one name twice", () => {
  const nodes = [
    nodeWith("a", { engineNodes: [{ ...GPU, instance: "x" }] }),
    nodeWith("b", {
      engineNodes: [
        { ...GPU, instance: "x" },
        { ...GPU, instance: "y" },
      ],
    }),
  ];
  expect(engineNodesOf(nodes)).toEqual([
    { ...GPU, instance: "x", nodes: ["a", "b"] },
    { ...GPU, instance: "y", nodes: ["b"] },
  ]);
});
