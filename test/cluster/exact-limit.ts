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

/** Limits the organization, and expects that all nodes together admit as many of its requests and no more. Returns how many. */
export async function expectExactLimit(
  cli: Cli,
  { organizationId, key, urls, environment }: LimitedNodes,
): Promise<number> {
  await cli.run(["org", "set-limits", organizationId, "--requests", String(ALLOWED)], environment);
  await takes(1500); // a key's limits are read once a second
  const admitted = await admittedOf(urls, key, 3 * ALLOWED);
  expect(admitted).toBeGreaterThanOrEqual(ALLOWED);
  expect(admitted).toBeLessThanOrEqual(ALLOWED + 2); // the bucket fills by one in two seconds
  return admitted;
}
