/** The databases that the management API is tried on: the embedded one, and PostgreSQL where a server answers. */
import { test } from "bun:test";
import { openPostgres } from "../../faults/server-fixture.ts";

type Store = AsyncDisposable & { environment: Record<string, string> };

const sqlite = async (): Promise<Store> => ({ environment: {}, async [Symbol.asyncDispose]() {} });

async function postgres(): Promise<Store> {
  const server = (await openPostgres())!;
  return {
    environment: { DATABASE_URL: server.url },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

const probe = await openPostgres();
await probe?.[Symbol.asyncDispose]();
if (!probe) test.skip("the management API on PostgreSQL (skipped: no server at 127.0.0.1:5432)", () => {});

export const STORES: [name: string, open: () => Promise<Store>][] = [
  ["SQLite", sqlite],
  ...(probe ? [["PostgreSQL", postgres] as [string, typeof postgres]] : []),
];
