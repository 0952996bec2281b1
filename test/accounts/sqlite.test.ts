/** Promise: accounts in the embedded database keep the contract. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqlite } from "../../src/db/open-sqlite.ts";
import { accountContract } from "../contract/accounts/accounts.ts";
import { clientSecretContract } from "../contract/accounts/client-secrets.ts";
import { consoleAccountContract } from "../contract/accounts/console-accounts.ts";
import type { AccountFixture } from "../contract/accounts/fresh-accounts.ts";
import { aliasContract } from "../contract/aliases.ts";
import { consentContract } from "../contract/consents.ts";
import { conversationContract } from "../contract/conversations.ts";
import { fileContract } from "../contract/files.ts";
import { mailOutboxContract } from "../contract/mail-outbox.ts";
import { operatorEditsContract } from "../contract/operator-edits.ts";
import { priceContract } from "../contract/prices.ts";
import { pronunciationContract } from "../contract/pronunciations.ts";
import { sweepContract } from "../contract/sweep.ts";
import { upstreamContract } from "../contract/upstreams.ts";
import { voiceContract } from "../contract/voices.ts";
import { putMigrated } from "../migrated.ts";

async function prepare(): Promise<AccountFixture> {
  const folder = mkdtempSync(join(tmpdir(), "loquat-accounts-"));
  await putMigrated(folder);
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
}

accountContract("sqlite", prepare);
consoleAccountContract("sqlite", prepare);
clientSecretContract("sqlite", prepare);
sweepContract("sqlite", prepare);
aliasContract("sqlite", prepare);
priceContract("sqlite", prepare);
pronunciationContract("sqlite", prepare);
operatorEditsContract("sqlite", prepare);
upstreamContract("sqlite", prepare);
conversationContract("sqlite", prepare);
mailOutboxContract("sqlite", prepare);
voiceContract("sqlite", prepare);
consentContract("sqlite", prepare);
fileContract("sqlite", prepare);
