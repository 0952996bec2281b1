/** Promise: the library of accounts is loaded in parts, between which other requests are answered. */
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const SOURCE = fileURLToPath(new URL("../../src/", import.meta.url));

/** In a process of its own, where nothing is loaded yet: processor time of the whole, and the most between two turns. */
const PROGRAM = `
  const { readConfig } = await import("${SOURCE}config/config.ts");
  const { openServices } = await import("${SOURCE}server/services.ts");
  const { openBetterAuth } = await import("${SOURCE}identity/better-auth.ts");
  const { openHashing } = await import("${SOURCE}identity/password-hashing.ts");
  const config = readConfig({ LOQUAT_DATA: process.argv[1], LOG_LEVEL: "silent" });
  await using services = await openServices(config);
  const own = { config: config.identity, origin: () => "http://127.0.0.1", verified: async () => {} };
  const deps = { ...services, ...own, hashing: openHashing(), secret: "of a test, with enough letters in it" };
  const spent = () => { const { user, system } = process.threadCpuUsage(); return user + system; };
  const begun = spent();
  let [last, most] = [begun, 0];
  const turns = setInterval(() => {
    const now = spent();
    [last, most] = [now, Math.max(most, now - last)];
  }, 1);
  await openBetterAuth(deps);
  clearInterval(turns);
  const whole = spent() - begun;
  console.log(JSON.stringify({ whole, most: Math.max(most, begun + whole - last) }));
  process.exit();
`;

test("other work runs while the library of accounts is loaded", async () => {
  const folder = mkdtempSync(join(tmpdir(), "loquat-library-"));
  try {
    const child = Bun.spawn([process.execPath, "-e", PROGRAM, folder], { stdout: "pipe", stderr: "pipe" });
    const [text, errors] = [await child.stdout.text(), await child.stderr.text()];
    expect(errors).toBe("");
    const { whole, most } = JSON.parse(text);
    expect(whole).toBeGreaterThan(0);
    expect(most / whole).toBeLessThan(0.5);
  } finally {
    rmSync(folder, { recursive: true });
  }
}, 120_000);
