/** Promise: work and events in PostgreSQL keep the same contracts, for several nodes. */
import { test } from "bun:test";
import { openPostgres } from "../../src/db/open-postgres.ts";
import type { AccountFixture } from "../contract/accounts/fresh-accounts.ts";
import { eventContract } from "../contract/events.ts";
import { upcomingContract } from "../contract/upcoming.ts";
import { workContract } from "../contract/work.ts";
import { workTurnsContract } from "../contract/work-turns.ts";
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
  workContract("postgres", prepare);
  workTurnsContract("postgres", prepare);
  eventContract("postgres", prepare);
  upcomingContract("postgres", prepare);
} else test.skip("work in PostgreSQL (skipped: no server at 127.0.0.1:5432)", () => {});
