/** A process that makes an endpoint and a cause of an event, and kills itself before or while it is delivered. */
import { openAccounts } from "../../src/accounts/accounts.ts";
import { openSqlite } from "../../src/db/open-sqlite.ts";
import { openWorkRows } from "../../src/db/queries/work-rows.ts";
import { openLog } from "../../src/log/log.ts";
import { openGuard } from "../../src/net/guarded-request.ts";
import { openWebhooks } from "../../src/webhooks/outgoing-webhooks.ts";
import { openWork } from "../../src/work/work-queue.ts";

export type Orders = { folder: string; url: string; nowMs: number; step: "caused" | "sent" | "none" };

const { folder, url, nowMs, step } = JSON.parse(process.argv[2]!) as Orders;
const die = () => {
  process.kill(process.pid, "SIGKILL");
  return new Promise<never>(() => {});
};

const database = openSqlite(folder);
const clock = { now: () => nowMs };
const log = openLog("debug", () => {});
const rows = openWorkRows(database);
const work = openWork({
  ...{ node: "test", clock, log },
  rows: {
    ...rows,
    async settle(row, to) {
      if (step === "sent") await die();
      return rows.settle(row, to);
    },
  },
});
const webhooks = openWebhooks({
  ...{ database, work, clock, log, guard: openGuard({ networks: ["127.0.0.0/8"] }) },
  secrets: { configured: "a secret of 32 characters or more", generated: async () => "" },
  tellOwners: async () => {},
});
const accounts = openAccounts(database, clock);
const first = await accounts.firstStart();
if (first) {
  const { organizationId } = first;
  const wants = { organizationId, projectId: null, name: "Hook", eventTypes: ["project.archived" as const] };
  await webhooks.create({ ...wants, url });
  await accounts.archiveProject((await accounts.createProject(organizationId, "Short")).id);
  if (step === "caused") await die();
}
await work.run();
await work[Symbol.asyncDispose]();
await database[Symbol.asyncDispose]();
