/** Promise: a server whose files are damaged says which one and what to do; it starts as no empty server, and writes over none. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openCli } from "../cli/process.ts";

/** Data of a server that was stopped, and of one that was killed, so that its log is there. */
const folder = mkdtempSync(join(tmpdir(), "loquat-damaged-"));
const [stopped, killed] = [join(folder, "stopped"), join(folder, "killed")];
const keyOf = (data: string) => readFileSync(join(data, "first-key"), "utf8").trim();

async function prepare(to: string, signal: "SIGTERM" | "SIGKILL"): Promise<void> {
  using cli = openCli();
  const server = await cli.serve();
  const data = join(cli.folder, "data");
  for (let count = 0; count < 10; count++) expect(await speak(server.url, keyOf(data))).toBe(200);
  await server.stop(signal);
  cpSync(data, to, { recursive: true });
}

async function speak(url: string, key: string): Promise<number> {
  const response = await fetch(`${url}/v1/audio/speech`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "svc-tts1", voice: "male-classic", input: "Hello." }),
  });
  await response.arrayBuffer();
  return response.status;
}

beforeAll(async () => {
  await prepare(stopped, "SIGTERM");
  await prepare(killed, "SIGKILL");
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Bytes of no meaning in place of those from `from` on. */
function garbled(bytes: Buffer, from: number, count: number): Buffer {
  const changed = Buffer.from(bytes);
  for (let at = from; at < Math.min(changed.length, from + count); at++) changed[at] = (at * 37 + 11) & 255;
  return changed;
}

type Damage = [what: string, damage: (bytes: Buffer) => Buffer];

describe("a damaged database is refused by name, and is not changed", () => {
  const DAMAGES: Damage[] = [
    ["without a byte", () => Buffer.alloc(0)],
    ["of a few bytes", (bytes) => bytes.subarray(0, 50)],
    ["cut in the middle", (bytes) => bytes.subarray(0, bytes.length >> 1)],
    ["with another header", (bytes) => garbled(bytes, 0, 100)],
    ["with other tables", (bytes) => garbled(bytes, 100, 3000)],
    ["with other pages in its middle", (bytes) => garbled(bytes, bytes.length >> 1, 8192)],
    ["of zeros", (bytes) => Buffer.alloc(bytes.length)],
  ];
  test.each(DAMAGES)("%s", async (_what, damage) => {
    using cli = openCli();
    const data = join(cli.folder, "data");
    cpSync(stopped, data, { recursive: true });
    const file = join(data, "loquat.db");
    const damaged = damage(readFileSync(file));
    writeFileSync(file, damaged);
    const { code, err } = await cli.run(["serve"], { PORT: "0" });
    expect(code).not.toBe(0);
    expect(err).toContain(`${file} is damaged`);
    expect(err).toContain("loquat restore");
    expect(readFileSync(file).equals(damaged)).toBe(true);
    expect(keyOf(data)).toBe(keyOf(stopped));
  });
});

describe("of a damaged log a copy is kept, the server says so and goes on", () => {
  const DAMAGES: Damage[] = [
    ["with another header", (bytes) => garbled(bytes, 0, 32)],
    ["with another first page", (bytes) => garbled(bytes, 100, 100)],
    ["without its first frame", (bytes) => garbled(bytes, 32, 24)],
    ["of no meaning", (bytes) => garbled(bytes, 0, bytes.length)],
  ];
  test.each(DAMAGES)("%s", async (_what, damage) => {
    using cli = openCli();
    const data = join(cli.folder, "data");
    cpSync(killed, data, { recursive: true });
    const log = join(data, "loquat.db-wal");
    const damaged = damage(readFileSync(log));
    writeFileSync(log, damaged);
    const server = await cli.serve();
    expect(await speak(server.url, keyOf(killed))).toBe(200);
    await server.stop();
    expect(server.complained()).toContain("database_log_damaged");
    expect(readFileSync(`${log}.damaged`).equals(damaged)).toBe(true);
  });

  test.each([
    ["a log that a kill left is whole", (bytes: Buffer) => bytes],
    ["a log that a crash cut off is no damage", (bytes: Buffer) => bytes.subarray(0, bytes.length - 2000)],
  ])("but %s", async (_what, change) => {
    using cli = openCli();
    const data = join(cli.folder, "data");
    cpSync(killed, data, { recursive: true });
    const log = join(data, "loquat.db-wal");
    writeFileSync(log, change(readFileSync(log)));
    const server = await cli.serve();
    expect(await speak(server.url, keyOf(killed))).toBe(200);
    await server.stop();
    expect(server.complained()).not.toContain("damaged");
    expect(existsSync(`${log}.damaged`)).toBe(false);
  });
});

test("files that say where a server was, and its key, keep no server from starting", async () => {
  using cli = openCli();
  const data = join(cli.folder, "data");
  cpSync(stopped, data, { recursive: true });
  const key = keyOf(data);
  for (const name of ["server.pid", "handover.json", "server.lock", "limits.db", "first-key"])
    writeFileSync(join(data, name), '{"pid": 1, \0');
  const server = await cli.serve();
  expect(await speak(server.url, key)).toBe(200);
  await server.stop();
  expect(statSync(join(data, "limits.db.damaged")).size).toBeGreaterThan(0);
  expect(server.complained()).toContain("limits_file_damaged");
});

test("a damaged key of the own certificate is named, and kept", async () => {
  using cli = openCli();
  const lan = ["--lan"];
  const first = await cli.serve({}, lan);
  await first.stop();
  const key = join(cli.folder, "data", "tls", "key.pem");
  writeFileSync(key, "-----BEGIN");
  const { code, err } = await cli.run(["serve", ...lan], { PORT: "0" });
  expect(code).not.toBe(0);
  expect(err).toContain(`${key} is damaged`);
  expect(readFileSync(key, "utf8")).toBe("-----BEGIN");
});
