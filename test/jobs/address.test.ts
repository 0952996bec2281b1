/** Promise: the recording of a job may be at an address, which is read under the guard of outgoing requests, once. */
import { afterAll, afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { heldClock } from "../harness.ts";
import { putMigrated } from "../migrated.ts";
import { asked, firstPrincipal, type JobNode, openJobNode, type Principal, recordingOf } from "./job-node.ts";

let requests = 0;
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch({ url }) {
    requests++;
    const { pathname } = new URL(url);
    if (pathname === "/talk.wav") return new Response(recordingOf(2));
    if (pathname === "/page") return new Response("<html><body>No recording</body></html>");
    if (pathname === "/large") return new Response(Buffer.alloc(2 * 1024 * 1024));
    return new Response(null, { status: 404 });
  },
});
afterAll(() => server.stop(true));

let node: JobNode;
let principal: Principal;
let folder: string;
const clock = heldClock();
beforeEach(async () => {
  requests = 0;
  folder = mkdtempSync(join(tmpdir(), "loquat-address-"));
  await putMigrated(folder);
  const environment = { LOQUAT_OUTBOUND_NETWORKS: "127.0.0.0/8", LOQUAT_FILE_MB: "1" };
  node = await openJobNode({ folder, clock, environment });
  principal = await firstPrincipal(node);
});
afterEach(async () => {
  await node.cleanFiles();
  expect(await node.database.query.select().from(node.database.tables.filePart)).toEqual([]);
  await node[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

/** The row of a job of an address, once it has ended. */
async function ended(path: string) {
  const { row } = await node.jobs.create(principal, asked(clock, { url: `${server.url.origin}${path}` }));
  for (let attempt = 0; attempt < 4; attempt++) {
    await node.work.run();
    clock.pass(200_000);
  }
  return (await node.jobs.find(principal, row.id))!;
}

test("a recording is fetched once, and its address is shown", async () => {
  const { row, url } = await ended("/talk.wav");
  expect(row).toMatchObject({ status: "completed", samples: 32_000, bytes: recordingOf(2).length });
  expect([url, requests]).toEqual([`${server.url.origin}/talk.wav`, 1]);
});

test("an address that answers no recording, or too large a one, fails its job at once", async () => {
  expect((await ended("/page")).row).toMatchObject({ status: "failed", errorCode: "invalid_audio" });
  expect((await ended("/large")).row).toMatchObject({ status: "failed", errorCode: "file_too_large" });
  expect(requests).toBe(2);
});

test("an address that cannot be read is tried three times", async () => {
  expect((await ended("/none")).row).toMatchObject({ status: "failed", errorCode: "url_unreachable" });
  expect(requests).toBe(3);
});

test("an address that is not public makes no job", async () => {
  const made = node.jobs.create(principal, asked(clock, { url: "https://10.0.0.1/talk.wav" }));
  await expect(made).rejects.toMatchObject({ code: "url_not_allowed" });
  expect(await node.jobs.list(principal, { status: null, after: null, limit: 1 })).toEqual([]);
});
