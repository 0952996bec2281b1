/** Promise: each node keeps an hour of what all nodes reported of their machines, and what is unknown is not 0. */
import { expect, test } from "bun:test";
import { watchMachines } from "../../src/cluster/machines.ts";
import { type MachineUse, type Node, readReport } from "../../src/cluster/node.ts";
import { heldClock } from "../harness.ts";

const MINUTE_MS = 60_000;
const START_MS = 1_800_000_000_000; // a whole minute

const IDLE: MachineUse = {
  ...{ cores: 2, cpu: null, processCpu: null, gpus: null },
  ...{ memoryUsedBytes: 1000, memoryTotalBytes: 4000, disk: { freeBytes: 90, totalBytes: 100 } },
};

function nodeWith(id: string, machine: MachineUse | null, [running, waiting] = [0, 0]): Node {
  const report = readReport({
    ...{ machine, memoryBytes: 10 },
    engines: [{ name: "flite", running, waiting, loaded: true }],
  });
  return { ...{ id, address: "", version: "1", startedMs: 0, ageMs: 0, skewMs: 0, draining: false }, report };
}

/** The node that was looked at, and what it kept of the newest minutes. */
async function seen(rounds: { passMs?: number; nodes: Node[] }[]) {
  const clock = heldClock(START_MS);
  let nodes: Node[] = [];
  await using machines = watchMachines({ clock, look: async () => {}, nodes: () => nodes });
  for (const round of rounds) {
    clock.pass(round.passMs ?? 0);
    nodes = round.nodes;
    await machines.look();
  }
  return machines.now().map(({ node: { id }, minutes }) => ({ id, minutes, last: minutes.at(-1)! }));
}

test("a minute has the means of its looks, the least free space and the most tasks", async () => {
  const busy = { ...IDLE, cpu: 0.5, memoryUsedBytes: 3000, disk: { freeBytes: 20, totalBytes: 100 } };
  const [kept] = await seen([
    { nodes: [nodeWith("a", { ...IDLE, cpu: 0.1 }, [0, 4])] },
    { nodes: [nodeWith("a", busy, [2, 1])] },
    { nodes: [nodeWith("a", IDLE)] },
  ]);
  expect(kept!.last).toEqual({
    ...{ start: START_MS / 1000, cpu: 0.3, processCpu: null, memoryUsedBytes: Math.round(5000 / 3) },
    ...{ processMemoryBytes: 10, diskFreeBytes: 20, gpuUse: null, gpuMemoryUsedBytes: null },
    ...{ running: 2, waiting: 4 },
  });
});

test("minutes that were not seen are unknown, and after an hour a minute is forgotten", async () => {
  const nodes = [nodeWith("a", IDLE)];
  const [kept] = await seen([{ nodes }, { passMs: 2 * MINUTE_MS, nodes }]);
  expect(kept!.minutes).toHaveLength(60);
  expect(kept!.minutes.slice(-4).map(({ memoryUsedBytes }) => memoryUsedBytes)).toEqual([
    null,
    1000,
    null,
    1000,
  ]);
  const [later] = await seen([{ nodes }, { passMs: 60 * MINUTE_MS, nodes }]);
  expect(later!.minutes.filter(({ running }) => running !== null)).toHaveLength(1);
});

test("GPUs are added up, without those that do not say their use", async () => {
  const gpu = { name: "A", use: 0.2, memoryUsedBytes: 5, memoryTotalBytes: 9 };
  const gpus = [gpu, { ...gpu, use: 0.6 }, { ...gpu, use: null, memoryUsedBytes: null }];
  const [kept] = await seen([{ nodes: [nodeWith("a", { ...IDLE, gpus })] }]);
  expect(kept!.last).toMatchObject({ gpuUse: 0.4, gpuMemoryUsedBytes: 10 });
});

test("each node has its own hour, one of an older version only its tasks, and one that left none", async () => {
  const kept = await seen([
    { nodes: [nodeWith("a", IDLE), nodeWith("gone", IDLE)] },
    { nodes: [nodeWith("a", IDLE), nodeWith("older", null, [1, 0])] },
  ]);
  expect(kept.map(({ id, last }) => [id, last.memoryUsedBytes, last.running])).toEqual([
    ["a", 1000, 0],
    ["older", null, 1],
  ]);
});
