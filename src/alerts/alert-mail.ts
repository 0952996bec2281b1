/** What a mail of an alert says, and how its work is done. */
import { eq } from "drizzle-orm";
import type { Clock } from "../clock.ts";
import type { Database } from "../db/database.ts";
import type { Log } from "../log/log.ts";
import type { Rules } from "../work/decisions.ts";
import type { Sent } from "../work/mail-handler.ts";
import { MAILS_AT_ONCE } from "../work/mail-rules.ts";
import type { Work } from "../work/work-queue.ts";
import type { Words } from "./alert-letters.ts";
import { openRecipientTokens, type TokenSignatures } from "./recipient-tokens.ts";
import type { Addressee } from "./recipients.ts";

/** `page`: of the organization's in the dashboard; "answer": where an address says with its token whether it wants mail. */
export type AlertLetter = Words & {
  organization: { id: string; name: string };
  page: "usage" | "billing" | "settings" | "answer";
  token?: string;
};

/** Rejects if the mail server does not take the mail now. */
type SendAlert = (to: string, letter: AlertLetter) => Promise<Sent>;

export type AlertWorkDeps = {
  database: Database;
  work: Pick<Work, "handle">;
  send: SendAlert;
  /** Of the links in mails to who is no member. */
  signatures: TokenSignatures;
  clock: Clock;
  log: Log;
};

export const ALERT_EVENTS = { failed: "alert_failed", givenUp: "alert_given_up" } as const;

const MINUTE_MS = 60_000;

/** Of what needs the database only: it is tried until that answers. */
export const RAISING_RULES: Rules = { attemptsMax: 1000, pauseMs: () => MINUTE_MS, ...MAILS_AT_ONCE };

export async function organizationNamed(
  { query, tables: { organization } }: Pick<Database, "query" | "tables">,
  id: string,
): Promise<AlertLetter["organization"]> {
  const [row] = await query
    .select({ name: organization.name })
    .from(organization)
    .where(eq(organization.id, id));
  return { id, name: row?.name ?? "" };
}

/** A mail of an alert: a member's leads to the page; others may say by theirs that they want no more. */
export async function sendTo(
  { send, signatures }: Pick<AlertWorkDeps, "send" | "signatures">,
  { email, row }: Addressee,
  letter: AlertLetter,
): Promise<Sent> {
  if (row === null) return send(email, letter);
  const token = await openRecipientTokens(signatures).of(row, null);
  return send(email, { ...letter, page: "answer", token });
}
