/** Promise: the embedded ledger keeps the contract when a thread writes it, and its log stays short under load. */
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqlite } from "../../src/db/open-sqlite.ts";
import { lazily } from "../../src/engine/runner.ts";
import { openSoleThread } from "../../src/engine/threads/sole-thread.ts";
import { openThreadPool } from "../../src/engine/threads/thread-pool.ts";
import {
  applyOnThread,
  type CheckpointWork,
  openSqliteStore,
  type WriterWork,
} from "../../src/ledger/sqlite.ts";
import { openRecentAccounts } from "../../src/ledger/write-queue.ts";
import { worker } from "../../src/resources.ts";
import { type Fixture, ledgerContract } from "../contract/ledger/ledger.ts";
import { ledgerOddsContract } from "../contract/ledger/odds.ts";

setDefaultTimeout(240_000);

async function openOnThread(folder: string) {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(openSqlite(folder));
  const options = { size: 1, data: { folder } };
  const writer = stack.use(openSoleThread<WriterWork>(worker("ledger/writer"), options));
  const checkpoints = stack.use(
    lazily(() => openThreadPool<CheckpointWork>(worker("ledger/checkpoint"), options)),
  );
  let copies = 0;
  const recent = openRecentAccounts();
  const apply = applyOnThread(
    {
      write: (writes) => writer.run({ kind: "writes", writes }),
      async checkpoint() {
        await checkpoints.run({});
        copies++;
      },
    },
    recent,
  );
  const opened = stack.move();
  const store = {
    ...openSqliteStore(database, apply, recent),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
  return { store, copies: () => copies };
}

async function prepare(): Promise<Fixture> {
  const folder = mkdtempSync(join(tmpdir(), "loquat-ledger-"));
  return {
    open: async () => (await openOnThread(folder)).store,
    async [Symbol.asyncDispose]() {
      rmSync(folder, { recursive: true });
    },
  };
}

ledgerContract("sqlite on a thread", prepare);
ledgerOddsContract("sqlite on a thread", prepare);

const folder = mkdtempSync(join(tmpdir(), "loquat-log-"));
afterAll(() => rmSync(folder, { recursive: true }));

const sizeOf = (file: string) => statSync(join(folder, file)).size;
/** How often the log has begun again: a field of its header. */
const timesBegun = () => readFileSync(join(folder, "loquat.db-wal")).readUInt32BE(12);
const grant = (id: string) => ({
  grant: {
    id,
    organizationId: `org_${id}`,
    kind: "adjustment" as const,
    amountMicros: 1,
    createdAt: 1,
    expiresAt: null,
    topUpId: null,
  },
});

test("the log of writes that never pause is copied beside them, and begins again", async () => {
  const { store, copies } = await openOnThread(folder);
  await using _ = store;
  let longest = 0;
  for (let batch = 0; batch < 300; batch++) {
    const grants = Array.from({ length: 100 }, (_, index) => grant(`${batch}_${index}`));
    for (const outcome of await store.apply(grants)) expect(outcome).toHaveProperty("grant");
    longest = Math.max(longest, sizeOf("loquat.db-wal"));
  }
  expect(copies()).toBeGreaterThan(0);
  expect(sizeOf("loquat.db")).toBeGreaterThan(1_000_000);
  expect(longest).toBeLessThan(24_000_000);
  expect(timesBegun()).toBeGreaterThan(0);
});
