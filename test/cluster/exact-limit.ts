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
/** Nodes that count by themselves admit all of it each: so many decisions without the store still tell the difference. */
const ALONE_MAX = ALLOWED / 3;

/**
 * Limits the organization, and expects that all nodes together admit as many of its requests and no more. A node that a busy
 * machine keeps from the store for a moment decides by itself, and each such decision may admit one more or take one in vain.
 * Where there were too many of them, the requests are sent again. Returns how many were admitted in all.
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
    const alone = (await countedAlone(urls)) - before;
    all += admitted;
    if (alone > ALONE_MAX && attempt < ATTEMPTS) {
      await takes(FULL_AGAIN_MS);
      continue;
    }
    expect(alone).toBeLessThanOrEqual(ALONE_MAX);
    expect(admitted).toBeWithin(ALLOWED - alone, ALLOWED + alone + 3); // the bucket fills by one in two seconds
    return all;
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
