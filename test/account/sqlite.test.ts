/** Promise: accounts in the embedded database keep the contract. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqlite } from "../../src/db/open-sqlite.ts";
import { accountContract } from "../contract/accounts.ts";

accountContract("sqlite", async () => {
  const folder = mkdtempSync(join(tmpdir(), "loquat-accounts-"));
  return {
    open: async () => openSqlite(folder),
    stored: async () =>
      readdirSync(folder)
        .map((name) => readFileSync(join(folder, name), "latin1"))
        .join("\n"),
    async [Symbol.asyncDispose]() {
      rmSync(folder, { recursive: true });
    },
  };
});
