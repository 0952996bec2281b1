/** What tables are declared with, in PostgreSQL. */
import {
  boolean,
  customType,
  doublePrecision,
  index,
  integer,
  jsonb,
  bigint as pgBigint,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import type { Kit } from "./kit-sqlite.ts";

const bigint = (name = "") => pgBigint(name, { mode: "number" });

const bytes = customType<{ data: Buffer }>({ dataType: () => "bytea" });

const moment = customType<{ data: Date; driverData: string | number }>({
  dataType: () => "bigint",
  toDriver: (date) => Math.floor(date.getTime() / 1000),
  fromDriver: (seconds) => new Date(Number(seconds) * 1000),
});

/** Columns that give values of the same type as SQLite's. */
type SameValues = { [Name in Exclude<keyof Kit, NotColumns>]: Column<ReturnType<Kit[Name]>> };
type NotColumns = "table" | "index" | "uniqueIndex" | "primaryKey";
type Column<SqliteColumn extends { _: { data: unknown } }> = (name?: string) => {
  _: { data: SqliteColumn["_"]["data"] };
};

const kit = {
  table: pgTable,
  index,
  uniqueIndex,
  primaryKey,
  text,
  integer: (name = "") => integer(name),
  bigint,
  seconds: bigint,
  milliseconds: bigint,
  micros: bigint,
  moment: (name = "") => moment(name),
  real: (name = "") => doublePrecision(name),
  flag: (name = "") => boolean(name),
  json: (name = "") => jsonb(name),
  bytes: (name = "") => bytes(name),
} satisfies SameValues & Record<NotColumns, unknown>;

/** Typed as SQLite's, because queries are written once; `SameValues` is what makes it true of rows. */
export const postgresKit = kit as unknown as Kit;
