/** Fresh jobs for each test of a contract, on a held clock: a node that does them, with an organization that has credit. */
import { afterEach, beforeEach } from "bun:test";
import type { Engine } from "../../src/engine/registry.ts";
import { heldClock } from "../harness.ts";
import {
  asked,
  firstPrincipal,
  type NodeOptions,
  openJobNode,
  recordingOf,
  tellingEngine,
} from "../jobs/job-node.ts";

/** A fresh, migrated database and a folder. */
export type JobPlace = AsyncDisposable & { folder: string; url: string | null };

export const SHORT = recordingOf(2);

export type FreshJobs = Awaited<ReturnType<typeof openFresh>>;

/** `begin` receives what each test is about. */
export function freshJobs(prepare: () => Promise<JobPlace>, begin: (fresh: FreshJobs) => void): void {
  let stack: AsyncDisposableStack;
  beforeEach(async () => {
    stack = new AsyncDisposableStack();
    begin(await openFresh(stack.use(await prepare()), stack));
  });
  afterEach(() => stack.disposeAsync());
}

async function openFresh(place: JobPlace, stack: AsyncDisposableStack) {
  const clock = heldClock();
  const open = async (
    engine: Engine = tellingEngine,
    environment: Record<string, string> = {},
    more: Pick<NodeOptions, "speaking" | "dictionary"> = {},
  ) => stack.use(await openJobNode({ ...place, clock, engine, environment, ...more }));
  const node = await open();
  const principal = await firstPrincipal(node);
  const { query, tables } = node.database;
  const found = async (id: string) => (await node.jobs.find(principal, id))!;
  const create = (by = node, who = principal, input: Parameters<typeof asked>[1] = { bytes: SHORT }) => {
    clock.pass(1);
    return by.jobs.create(who, asked(clock, input));
  };
  return {
    ...{ clock, open, node, principal, found },
    create,
    make: async (...given: Parameters<typeof create>) => (await create(...given)).row.id,
    status: async (id: string) => (await found(id)).row.status,
    charges: () => query.select().from(tables.usageEvent),
    events: async () => (await query.select().from(tables.event)).map(({ type }) => type),
    async contents(): Promise<number> {
      await node.cleanFiles();
      await node.cleanFiles();
      return (await query.select().from(tables.filePart)).length;
    },
    parts: async (id: string) =>
      (await query.select().from(tables.jobPart)).filter(({ jobId }) => jobId === id).length,
    later: (ms: number) => clock.pass(ms),
  };
}
