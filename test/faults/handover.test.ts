/** Promise: while servers take over from each other under load, no request is lost where the kernel moves connections. */
import { expect, test } from "bun:test";
import { measureHandovers, whyNotSet } from "../../bench/handover/own-network.ts";

const why = process.platform === "linux" ? whyNotSet() : "it is Linux's";
test.skipIf(why !== null)(
  `a handover with tcp_migrate_req=1 loses nothing at any port${why === null ? "" : ` (skipped: ${why})`}`,
  async () => {
    const { migrates, ...found } = await measureHandovers(true, { fresh: 500, kept: 500, handovers: 1 });
    expect(migrates).toBe(true);
    for (const port of ["fresh", "kept", "metrics", "wyoming"] as const)
      expect([port, found[port].lost]).toEqual([port, 0]);
  },
  120_000,
);
