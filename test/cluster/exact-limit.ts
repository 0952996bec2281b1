/** Whether several nodes hold one limit together. */
import { expect } from "bun:test";
import type { Cli } from "../cli/process.ts";
import { admittedOf } from "../faults/load.ts";
import { takes } from "../until.ts";

const ALLOWED = 30; // requests a minute

type LimitedNodes = {
  organizationId: string;
  key: string;
  urls: readonly string[];
  environment: Record<string, string>;
};

/** Until the bucket of requests is full again. */
const FULL_AGAIN_MS = 61_000;
const ATTEMPTS = 3;

/**
 * Limits the organization, and expects that all nodes together admit as many of its requests and no more. A node that a busy
 * machine keeps from the store counts by itself, which proves nothing: then they are sent again. Returns how many were
 * admitted in all.
 */
export async function expectExactLimit(
  cli: Cli,
  { organizationId, key, urls, environment }: LimitedNodes,
): Promise<number> {
  const set = ["org", "set-limits", organizationId, "--requests", String(ALLOWED)];
  expect(await cli.run(set, environment)).toMatchObject({ code: 0 });
  let all = 0;
  for (let attempt = 1; ; attempt++) {
    await takes(1500); // a key's limits are read once a second
    const before = await countedAlone(urls);
    const admitted = await admittedOf(urls, key, 3 * ALLOWED);
    all += admitted;
    const isExact = admitted >= ALLOWED && admitted <= ALLOWED + 2; // the bucket fills by one in two seconds
    if (isExact) return all;
    const wasAlone = (await countedAlone(urls)) > before;
    expect({ admitted, isTriedAgain: wasAlone && attempt < ATTEMPTS }).toMatchObject({ isTriedAgain: true });
    await takes(FULL_AGAIN_MS);
  }
}

/** How many decisions nodes have made without the store. */
async function countedAlone(urls: readonly string[]): Promise<number> {
  const pages = await Promise.all(urls.map(async (url) => (await fetch(`${url}/metrics`)).text()));
  return pages.reduce(
    (sum, page) => sum + Number(/^loquat_limit_store_failures_total (\d+)/m.exec(page)?.[1] ?? 0),
    0,
  );
}
