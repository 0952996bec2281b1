/** Asks an address by mail whether it wants mail of alerts: once, five attempts, until its link has expired. */
import { unixSeconds } from "../clock.ts";
import { openRecipientRows } from "../db/queries/recipient-rows.ts";
import { mailHandler } from "../work/mail-handler.ts";
import { askingWords } from "./alert-letters.ts";
import { ALERT_EVENTS, type AlertWorkDeps, organizationNamed } from "./alert-mail.ts";
import { ASKING_SECONDS, openRecipientTokens } from "./recipient-tokens.ts";
import { ASKING_WORK, type AskingWork } from "./recipients.ts";

export function handleAsking({ database, work, send, signatures, clock, log }: AlertWorkDeps): void {
  const rows = openRecipientRows(database);
  const tokens = openRecipientTokens(signatures);
  const ask = async ({ recipientId, nonce }: AskingWork) => {
    const row = await rows.find(recipientId);
    if (row?.state !== "pending" || row.nonce !== nonce) return null; // answered, or asked anew
    const token = await tokens.of(row, (row.askedAt ?? unixSeconds(clock)) + ASKING_SECONDS);
    const organization = await organizationNamed(database, row.organizationId);
    return send(row.email, { ...askingWords(organization.name), organization, page: "answer", token });
  };
  work.handle(ASKING_WORK, mailHandler({ log, events: ALERT_EVENTS }, ask));
}
