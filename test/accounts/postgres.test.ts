/** Promise: accounts in PostgreSQL keep the same contract, for several nodes. */
import { test } from "bun:test";
import { openPostgres } from "../../src/db/open-postgres.ts";
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
import { openPostgres as openServer } from "../faults/server-fixture.ts";

async function prepare(): Promise<AccountFixture> {
  const server = (await openServer())!;
  return {
    open: () => openPostgres(server.url),
    stored: async () => JSON.stringify(await server.query("select api_key::text from api_key")),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

const reachable = await openServer();
await reachable?.[Symbol.asyncDispose]();
if (reachable) {
  accountContract("postgres", prepare);
  consoleAccountContract("postgres", prepare);
  clientSecretContract("postgres", prepare);
  sweepContract("postgres", prepare);
  aliasContract("postgres", prepare);
  priceContract("postgres", prepare);
  pronunciationContract("postgres", prepare);
  operatorEditsContract("postgres", prepare);
  upstreamContract("postgres", prepare);
  conversationContract("postgres", prepare);
  mailOutboxContract("postgres", prepare);
  voiceContract("postgres", prepare);
  consentContract("postgres", prepare);
  fileContract("postgres", prepare);
} else test.skip("accounts in PostgreSQL (skipped: no server at 127.0.0.1:5432)", () => {});
