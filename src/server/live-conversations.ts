/** The conversations in force: the database's, which other processes and nodes edit too. */
import type { Audit } from "../audit/audit-events.ts";
import type { Database } from "../db/database.ts";
import { readEverySecond } from "../db/polling.ts";
import type { Log } from "../log/log.ts";
import type { Catalogue } from "../models/catalogue.ts";
import { type ConversationAdmin, openConversationAdmin } from "../models/conversation-admin.ts";
import type { UpstreamSet } from "../upstreams/upstreams.ts";
import { auditedConversations } from "./audited-edits.ts";

/** What conversations may name. */
type Offered = { catalogue: Catalogue; set: Pick<UpstreamSet, "languageModels"> };

export const openConversations = (
  storage: { database: Database; audit: Audit },
  { catalogue, set }: Offered,
): ConversationAdmin =>
  openConversationAdmin(auditedConversations(storage), {
    catalogue,
    languageModels: () =>
      set.languageModels().map(({ entry }) => ({ id: entry.model, theirs: entry.upstream_model })),
  });

/** Reads them now and once a second. Those that were read last stay in force while the database does not answer. */
export async function followConversations(
  storage: { database: Database; audit: Audit },
  offered: Offered,
  log: Log,
): Promise<ConversationAdmin & AsyncDisposable> {
  const admin = openConversations(storage, offered);
  const read = async () => {
    for (const fault of await admin.refresh()) log.warn("conversation_unusable", { fault });
  };
  await read();
  const reading = readEverySecond(read, (cause) => log.warn("conversations_unavailable", { cause }));
  return { ...admin, [Symbol.asyncDispose]: () => reading[Symbol.asyncDispose]() };
}
