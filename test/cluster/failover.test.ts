/**
 * Promise: three nodes under load lose and double no charge while one of them is killed, PostgreSQL is restarted, and a
 * standby takes its place.
 */
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import * as postgres from "../backup/own-postgres.ts";
import { openCli } from "../cli/process.ts";
import { type Load, lift, startLoad } from "../faults/load.ts";
import { until } from "../until.ts";

const MINUTES_MS = 240_000;
const folder = mkdtempSync(join(tmpdir(), "loquat-failover-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The address of the database, behind which its servers change. */
async function openAddress(target: number) {
  const pairs = new Set<Socket>();
  let current: number | null = target;
  const server = createServer((inner) => {
    if (current === null) return void inner.destroy();
    const outer = new Socket().connect(current, "127.0.0.1");
    for (const [from, to] of [
      [inner, outer],
      [outer, inner],
    ] as const) {
      pairs.add(from);
      from.on("data", (bytes) => to.write(bytes));
      from.on("error", () => {});
      from.on("close", () => {
        pairs.delete(from);
        to.destroy();
      });
    }
  });
  const { promise, resolve } = Promise.withResolvers<number>();
  server.listen(0, "127.0.0.1", () => resolve((server.address() as { port: number }).port));
  return {
    port: await promise,
    /** Breaks all connections. Null: there is no server. */
    aim(port: number | null) {
      current = port;
      for (const socket of pairs) socket.destroy();
    },
    [Symbol.dispose]: () => void server.close(),
  };
}

async function query(port: number, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client(`postgres://loquat@127.0.0.1:${port}/postgres`);
  await client.connect();
  const { rows } = await client.query(sql);
  await client.end();
  return rows;
}

/** A primary, and a standby that has every commit before it is answered. */
async function openPair() {
  const paths = { primary: join(folder, "primary"), standby: join(folder, "standby") };
  for (const path of Object.values(paths)) postgres.makeFolder(path);
  await postgres.initialize(paths.primary, [
    "wal_level = replica",
    "max_wal_senders = 4",
    "hot_standby = on",
  ]);
  const primary = await postgres.start(paths.primary);
  const source = ["--host", "127.0.0.1", "--port", String(primary.port), "--username", "loquat"];
  await postgres.run(
    "pg_basebackup",
    ...source,
    "--pgdata",
    paths.standby,
    "--write-recovery-conf",
    "--checkpoint=fast",
  );
  const standby = await postgres.start(paths.standby);
  await query(primary.port, "alter system set synchronous_standby_names = '*'");
  await query(primary.port, "select pg_reload_conf()");
  return { paths, primary, standby };
}

/** Until more answers came, on whichever nodes are left. */
async function more({ delivered }: Load): Promise<void> {
  const enough = delivered.length + 30;
  await until(() => delivered.length >= enough);
}

test.skipIf(postgres.postgresPrograms() === null)(
  "charges stay exact while a node is killed, PostgreSQL restarts, and its standby is promoted",
  async () => {
    postgres.makeFolder(folder);
    const { paths, primary, standby } = await openPair();
    await using _standby = standby;
    using address = await openAddress(primary.port);
    const shared = { DATABASE_URL: `postgres://loquat@127.0.0.1:${address.port}/postgres` };
    using cli = openCli();
    const nodes = [await cli.serve(shared), await cli.serve(shared), await cli.serve(shared)];
    await lift(cli, shared);
    const urls = nodes.map(({ url }) => url);
    let turn = 0;
    const key = readFileSync(join(cli.folder, "data", "first-key"), "utf8").trim();
    const load = startLoad(() => urls[turn++ % urls.length]!, key, 6);
    await more(load);

    urls.pop();
    await nodes.pop()!.stop("SIGKILL");
    await more(load);

    await postgres.run("pg_ctl", "restart", "--mode", "immediate", "--pgdata", paths.primary);
    await more(load);

    await primary[Symbol.asyncDispose]();
    address.aim(null);
    await postgres.run("pg_ctl", "promote", "--wait", "--pgdata", paths.standby);
    address.aim(standby.port);
    await more(load);
    await load.stop();

    const events = await query(standby.port, "select request_id from usage_event");
    const ids = events.map(({ request_id }) => request_id);
    expect(ids.length).toBe(new Set(ids).size);
    const charged = new Set(ids);
    expect(load.delivered.filter((id) => !charged.has(id))).toEqual([]);
    const verified = await cli.run(["ledger", "verify"], shared);
    expect(verified).toMatchObject({ code: 0, err: "", out: expect.stringContaining("add up") });
    const others = [...load.statuses.keys()].filter((status) => !["200", "503", "broken"].includes(status));
    expect(others).toEqual([]);
    for (const node of nodes) expect(await node.stop()).toBe(0);
  },
  MINUTES_MS,
);
