/** What tables are declared with, in SQLite. `Kit` is its type: rows of both databases have the types of these columns. */
import {
  blob,
  index,
  integer,
  primaryKey,
  real,
  sqliteTable,
  text,
  uniqueIndex,
} from "drizzle-orm/sqlite-core";

/** An empty name: that of the property. */
const bigint = (name = "") => integer(name);

export const sqliteKit = {
  table: sqliteTable,
  index,
  uniqueIndex,
  primaryKey,
  text,
  /** Up to 2^31. */
  integer: (name = "") => integer(name),
  /** Up to 2^53, as are times and money. */
  bigint,
  seconds: bigint,
  milliseconds: bigint,
  micros: bigint,
  /** A `Date`, stored as Unix seconds. */
  moment: (name = "") => integer(name, { mode: "timestamp" }),
  real: (name = "") => real(name),
  flag: (name = "") => integer(name, { mode: "boolean" }),
  json: (name = "") => text(name, { mode: "json" }),
  bytes: (name = "") => blob(name, { mode: "buffer" }),
};

export type Kit = typeof sqliteKit;
