/** Promise: outgoing webhooks keep the same contract in PostgreSQL. */
import { test } from "bun:test";
import { openPostgres } from "../../src/db/open-postgres.ts";
import type { AccountFixture } from "../contract/accounts/fresh-accounts.ts";
import { deliveringContract } from "../contract/webhooks/delivering.ts";
import { failingContract } from "../contract/webhooks/failing.ts";
import { openPostgres as openServer } from "../faults/server-fixture.ts";

async function prepare(): Promise<AccountFixture> {
  const server = (await openServer())!;
  return {
    open: () => openPostgres(server.url),
    stored: async () => "",
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

const reachable = await openServer();
await reachable?.[Symbol.asyncDispose]();
if (reachable) {
  deliveringContract("postgres", prepare);
  failingContract("postgres", prepare);
} else test.skip("webhooks in PostgreSQL (skipped: no server at 127.0.0.1:5432)", () => {});
