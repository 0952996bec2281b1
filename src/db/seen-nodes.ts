/** Reads which servers use a PostgreSQL database, without opening or migrating it. */
import { Client } from "pg";

export type SeenNodes = {
  /** By how much the clock of this machine is ahead of the database's. */
  skewMs: number;
  nodes: { id: string; address: string; version: string; skewMs: number; draining: boolean }[];
};

/** Rejects where the database does not answer. `nowMs`: the time of this machine. */
export async function seenNodes(url: string, nowMs: () => number): Promise<SeenNodes> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 2000, query_timeout: 5000 });
  client.on("error", () => {}); // its query fails by itself
  await client.connect();
  try {
    const { rows } = await client.query(
      "select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms, to_regclass('node') as found",
    );
    const skewMs = Math.round(nowMs() - rows[0].ms);
    if (rows[0].found === null) return { skewMs, nodes: [] }; // no server of this version has opened it
    const seen = await client.query(
      `select id, address, version, skew_ms::float8 as "skewMs", draining from node
       where seen_ms > extract(epoch from clock_timestamp()) * 1000 - 10000 order by id`,
    );
    return { skewMs, nodes: seen.rows };
  } finally {
    await client.end();
  }
}
