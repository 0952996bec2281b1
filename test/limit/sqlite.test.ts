/** Promise: limits kept in a file keep the contract. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqliteLimits } from "../../src/limit/sqlite.ts";
import { limitContract } from "../contract/limit.ts";

limitContract("sqlite", async () => {
  const folder = mkdtempSync(join(tmpdir(), "loquat-limits-"));
  return {
    open: async () => openSqliteLimits(folder),
    async [Symbol.asyncDispose]() {
      rmSync(folder, { recursive: true });
    },
  };
});
