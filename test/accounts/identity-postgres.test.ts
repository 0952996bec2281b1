/** Promise: users, memberships and invitations in PostgreSQL keep the same contract. */
import { test } from "bun:test";
import { identityContract } from "../contract/identity.ts";
import { provingContract } from "../contract/proving.ts";
import { secondFactorContract } from "../contract/second-factor.ts";
import { setUpContract } from "../contract/set-up.ts";
import { openPostgres } from "../faults/server-fixture.ts";

async function prepare() {
  const server = (await openPostgres())!;
  return {
    environment: { DATABASE_URL: server.url },
    isShared: true,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

const reachable = await openPostgres();
await reachable?.[Symbol.asyncDispose]();
if (reachable) {
  identityContract("people in postgres", prepare);
  provingContract("people in postgres", prepare);
  setUpContract("people in postgres", prepare);
  secondFactorContract("the second factor in postgres", prepare);
} else test.skip("identity in PostgreSQL (skipped: no server at 127.0.0.1:5432)", () => {});
