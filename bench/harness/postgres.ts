/** A temporary PostgreSQL database for one benchmark. */
import { SQL } from "bun";
import type { Row } from "./row.ts";

const POSTGRES = "postgres://root@127.0.0.1:5432";
let made = 0;

type Temporary = AsyncDisposable & { url: string };

/** Null where no PostgreSQL answers. */
export async function openDatabase(): Promise<Temporary | null> {
  const admin = new SQL(`${POSTGRES}/test`, { max: 1, connectionTimeout: 2 });
  const name = `loquat_bench_${process.pid}_${made++}`;
  try {
    await admin.unsafe(`create database ${name}`);
  } catch {
    process.stdout.write("  (no PostgreSQL on 127.0.0.1: its figures are left out)\n");
    return null;
  }
  return {
    url: `${POSTGRES}/${name}`,
    async [Symbol.asyncDispose]() {
      await admin.unsafe(`drop database ${name} with (force)`);
      await admin.close();
    },
  };
}

/** No rows where no PostgreSQL answers. */
export async function withDatabase(measure: (url: string) => Promise<Row[]>): Promise<Row[]> {
  await using database = await openDatabase();
  return database === null ? [] : await measure(database.url);
}
