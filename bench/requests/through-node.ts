/**
 * Speech through an engine node on the same machine, against the same server with its own engines. Both answer in turns.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Row } from "../harness/row.ts";
import { announced, CHECKOUT, startServer } from "../harness/server.ts";
import { compareServers } from "./two-servers.ts";

const SECRET = { LOQUAT_ENGINE_SECRET: "a secret of benchmarks, long enough to be one" };

export async function benchEngineNode(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), "loquat-bench-"));
  const environment = { LOQUAT_ROLE: "engine", PORT: "0", LOG_LEVEL: "warn", LOQUAT_DATA: folder };
  const node = Bun.spawn([...CHECKOUT, "serve"], {
    env: { PATH: Bun.env.PATH, ...SECRET, ...environment },
    stdout: "pipe",
    stderr: "inherit",
  });
  try {
    const address = (await announced(node.stdout)).replace("http", "ws");
    await using direct = await startServer();
    await using through = await startServer({ ...SECRET, LOQUAT_ENGINES: address });
    return await compareServers({ direct, through }, "an engine node");
  } finally {
    node.kill();
    await node.exited;
    rmSync(folder, { recursive: true, force: true });
  }
}
