/** The ledger and the limits alone, called as requests call them, and the stores that they run on. */
import { fileURLToPath } from "node:url";
import { startLineProcess } from "../harness/line-process.ts";
import { openDatabase } from "../harness/postgres.ts";
import { REDIS } from "../requests/metered.ts";
import { figure, type Group } from "./group.ts";

const SCRIPT = fileURLToPath(new URL("stores.ts", import.meta.url));
/** What `stores.ts` is asked for, and the callers. */
const CALLS = [
  ["charges", 1],
  ["charges", 32],
  ["decisions", 1],
  ["decisions", 32],
] as const;
const NAMES = { charges: "charges", decisions: "decisions of the limits" };

export type Stores = AsyncDisposable & { environment: Record<string, string> };

export const openEmbedded = async (): Promise<Stores> => ({
  environment: {},
  async [Symbol.asyncDispose]() {},
});

export async function openPostgresAndRedis(): Promise<Stores> {
  const database = await openDatabase();
  if (database === null) throw new Error("no PostgreSQL answers on 127.0.0.1:5432");
  return {
    environment: { DATABASE_URL: database.url, REDIS_URL: REDIS },
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}

const alone = (stores: string, openStores: () => Promise<Stores>): Group => ({
  rounds: 7,
  figures: CALLS.map(([name, callers]) =>
    figure(`${stores}: ${NAMES[name]}, ${callers} at once`, "a second"),
  ),
  async open({ folder }) {
    await using stack = new AsyncDisposableStack();
    const { environment } = stack.use(await openStores());
    const child = stack.use(await startLineProcess([SCRIPT, folder], environment));
    const measure = async () => {
      const values: number[] = [];
      for (const call of CALLS) values.push(await child.ask<number>(JSON.stringify(call)));
      return values;
    };
    await measure(); // until what is hot is compiled
    const opened = stack.move();
    return { measure, close: () => opened.disposeAsync() };
  },
});

export const SQLITE_STORES = alone("SQLite", openEmbedded);
export const POSTGRES_STORES = alone("PostgreSQL and Redis", openPostgresAndRedis);
