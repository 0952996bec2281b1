/**
 * Promise: on a full disk requests are refused before their work, by name, with nothing charged or counted; the server is not ready,
 * and goes on once there is space.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { writeBackup } from "../../src/backup/write-backup.ts";
import { readConfig } from "../../src/config/config.ts";
import { openStorage } from "../../src/server/storage.ts";
import { errorOf, type Harness, openHarness } from "../harness.ts";
import { dial } from "./v1/realtime/live.ts";

const MEBIBYTE = 1024 * 1024;
const folder = mkdtempSync(join(tmpdir(), "loquat-disk-"));
const isMounted = mount(folder, 64);
const unless = isMounted ? "" : " (skipped: no file system can be mounted)";

function mount(path: string, mebibytes: number): boolean {
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${mebibytes}m`, "tmpfs", path], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** Leaves at most so many bytes free: the server may write at the same time. */
function fill(leftBytes: number): void {
  const { bavail, bsize } = statfsSync(folder);
  try {
    writeFileSync(join(folder, "filling"), Buffer.alloc(Math.max(0, bavail * bsize - leftBytes)));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
  }
}
function free(): void {
  rmSync(join(folder, "filling"), { force: true });
}

afterAll(() => {
  if (isMounted) execFileSync("umount", ["-l", folder]);
  rmSync(folder, { recursive: true, force: true });
});

describe.if(isMounted)(`a full disk${unless}`, () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await openHarness({ environment: { LOQUAT_DATA: join(folder, "data") } });
  });
  afterAll(() => harness[Symbol.asyncDispose]());

  const speak = () =>
    harness.ask("/v1/audio/speech", {
      method: "POST",
      body: JSON.stringify({ model: "svc-tts1", voice: "male-classic", input: "Hello there." }),
    });
  const spent = async () => (await harness.parts.ledger.totals(harness.organizationId)).costMicros;
  const REFUSED = {
    status: 503,
    code: "service_unavailable",
    message: expect.stringContaining("No space is left"),
  };

  test("refuses speech, recordings, live sessions and voices before their work, and is not ready", async () => {
    expect((await speak()).status).toBe(200);
    const before = await spent();
    fill(8 * MEBIBYTE);
    harness.clock.pass(2000);
    const response = await speak();
    expect(response.headers.get("retry-after")).toBe("60");
    expect(response.headers.get("x-ratelimit-remaining-requests")).toBeNull();
    expect(await errorOf(response)).toMatchObject(REFUSED);
    const form = new FormData();
    form.set("model", "svc-stt1");
    form.set("file", new Blob([new Uint8Array(100)]), "a.wav");
    const body = { method: "POST", body: form };
    expect(await errorOf(await harness.ask("/v1/audio/transcriptions", body))).toMatchObject(REFUSED);
    const secret = { method: "POST", body: "{}" };
    expect(await errorOf(await harness.ask("/v1/realtime/client_secrets", secret))).toMatchObject(REFUSED);
    const { message } = REFUSED;
    expect((await (await dial(harness)).ended()).error).toMatchObject({
      code: "service_unavailable",
      message,
    });
    const ready = await harness.ask("/readyz");
    expect([ready.status, ((await ready.json()) as { reasons: string[] }).reasons]).toEqual([
      503,
      ["disk_full"],
    ]);
    expect(await spent()).toBe(before);
    free();
    harness.clock.pass(2000);
    expect((await speak()).status).toBe(200);
    expect((await harness.ask("/readyz")).status).toBe(200);
  });

  test("that fills up during a request is told by name, and nothing is charged", async () => {
    const before = await spent();
    expect((await speak()).status).toBe(200); // the disk is asked once a second
    const charged = (await spent()) - before;
    fill(0);
    const error = await errorOf(await speak());
    free();
    expect(error).toMatchObject(REFUSED);
    expect(await spent()).toBe(before + charged);
    harness.clock.pass(2000);
    expect((await speak()).status).toBe(200);
  });

  test("refuses a sign-up by name, and takes it once there is space", async () => {
    const signUp = (email: string) =>
      fetch(`${harness.url}/api/auth/sign-up/email`, {
        method: "POST",
        headers: { "content-type": "application/json", origin: harness.url },
        body: JSON.stringify({ email, name: "Ann", password: "a long password" }),
      });
    expect((await signUp("first@example.com")).status).toBe(200);
    fill(0);
    const response = await signUp("ann@example.com");
    free();
    expect(response.headers.get("retry-after")).toBe("60");
    expect(await errorOf(response)).toMatchObject(REFUSED);
    expect((await signUp("ann@example.com")).status).toBe(200);
  });

  test("refuses a backup before it copies anything", async () => {
    fill(MEBIBYTE / 16);
    const content = { version: "0", created_at: "", schema: "", packages: [] };
    const backup = writeBackup(join(folder, "data"), content, new PassThrough());
    const refusal = await backup.then(
      () => null,
      (error: Error) => error.message,
    );
    free();
    expect(refusal).toMatch(
      /^The disk of .* has .* free; .* are needed\. Free some space for a copy of the database\.$/,
    );
  });

  test("refuses to open a database, with the reason", async () => {
    fill(MEBIBYTE / 16);
    const config = readConfig({ LOQUAT_DATA: join(folder, "other") });
    const refusal = await openStorage(config).then(
      () => null,
      (error: Error) => error.message,
    );
    free();
    expect(refusal).toBe(
      `LOQUAT_DATA: ${join(folder, "other")} cannot be used as the database: no space is left on its disk. Free some.`,
    );
  });
});
