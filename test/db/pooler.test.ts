/** Promise: PgBouncer works where it keeps sessions, and is refused by name where it shares them without their statements. */
import { afterAll, expect, test } from "bun:test";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openPostgres as openDatabase } from "../../src/db/open-postgres.ts";
import { openPostgresLimits } from "../../src/limits/postgres.ts";
import { openPostgres } from "../faults/server-fixture.ts";
import { freePort } from "../free-port.ts";
import { until } from "../until.ts";

const binary = Bun.which("pgbouncer");
const server = binary ? await openPostgres() : null;
const folder = mkdtempSync(join(tmpdir(), "loquat-pooler-"));
chmodSync(folder, 0o755);
const poolers: Bun.Subprocess[] = [];
afterAll(async () => {
  for (const pooler of poolers) {
    pooler.kill("SIGKILL");
    await pooler.exited;
  }
  rmSync(folder, { recursive: true });
  await server?.[Symbol.asyncDispose]();
});

const answers = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket: Socket = connect(port, "127.0.0.1", () => resolve(!socket.destroy().connecting));
    socket.on("error", () => resolve(false));
  });

/** Resolves to the URL of the database behind it. */
async function openPooler(mode: "session" | "transaction"): Promise<string> {
  const port = freePort();
  const { port: target, pathname } = new URL(server!.url);
  const file = join(folder, `${mode}.ini`);
  writeFileSync(
    file,
    `[databases]
* = host=127.0.0.1 port=${target} user=root
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
`,
  );
  poolers.push(Bun.spawn([binary!, "-u", "nobody", file], { stdout: "ignore", stderr: "ignore" }));
  await until(() => answers(port));
  return `postgres://root@127.0.0.1:${port}${pathname}`;
}

const unlessPooler = server ? "" : " (skipped: no pgbouncer or no PostgreSQL)";

test.skipIf(!server)(`a pooler that keeps sessions is transparent${unlessPooler}`, async () => {
  const url = await openPooler("session");
  await using database = await openDatabase(url);
  const limits = openPostgresLimits(database);
  const take = [{ bucket: "requests", cost: 1, perMinute: 1 } as const];
  const ask = () => limits.decide({ organizationId: "org", now: 0, take, slot: null });
  expect([(await ask()).refused, (await ask()).refused]).toEqual([null, "requests"]);
});

test.skipIf(!server)(`a pooler that shares sessions stops the start${unlessPooler}`, async () => {
  const url = await openPooler("transaction");
  await expect(openDatabase(url)).rejects.toThrow("max_prepared_statements");
});
