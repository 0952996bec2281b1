/** Promise: spend alerts in PostgreSQL keep the same contract, for several nodes. */
import { test } from "bun:test";
import { openPostgres } from "../../src/db/open-postgres.ts";
import { openPostgresStore } from "../../src/ledger/postgres.ts";
import type { AlertFixture } from "../contract/alerts/alert-setting.ts";
import { balanceAlertContract } from "../contract/alerts/balance.ts";
import { alertContract } from "../contract/alerts/going-off.ts";
import { recipientContract } from "../contract/alerts/recipients.ts";
import { toldAlertContract } from "../contract/alerts/telling.ts";
import { openPostgres as openServer } from "../faults/server-fixture.ts";

async function prepare(): Promise<AlertFixture> {
  const server = (await openServer())!;
  return {
    async open() {
      const database = await openPostgres(server.url);
      const store = openPostgresStore(database);
      return { database, store, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() };
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

const reachable = await openServer();
await reachable?.[Symbol.asyncDispose]();
if (reachable) {
  alertContract("postgres", prepare);
  toldAlertContract("postgres", prepare);
  balanceAlertContract("postgres", prepare);
  recipientContract("postgres", prepare);
} else test.skip("spend alerts in PostgreSQL (skipped: no server at 127.0.0.1:5432)", () => {});
