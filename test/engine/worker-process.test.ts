/** Promise: a worker process depends on nothing in the folder that the server was started in. */
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { workerProcess } from "../../src/engine/worker-process.ts";
import { worker } from "../../src/resources.ts";

test("a worker process runs no code and reads no settings of the current folder", async () => {
  const folder = mkdtempSync(join(tmpdir(), "loquat-worker-"));
  try {
    writeFileSync(join(folder, "bunfig.toml"), 'preload = ["./preloaded.ts"]');
    writeFileSync(join(folder, "preloaded.ts"), 'console.log("preloaded");');
    writeFileSync(join(folder, "tsconfig.json"), '{"compilerOptions":{"paths":{"*":["./preloaded.ts"]}}}');
    const child = Bun.spawn({ ...workerProcess(worker("sandbox/confinement")), cwd: folder });
    expect(JSON.parse(await child.stdout.text())).toHaveProperty("seccomp");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
