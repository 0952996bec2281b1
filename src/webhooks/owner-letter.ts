/**
 * Tells the owners of an organization, or the operators of the server, by mail that one of its webhook endpoints was switched off,
 * unless it is on again.
 */
import type { Clock } from "../clock.ts";
import type { Database } from "../db/database.ts";
import { type EndpointRow, openEndpointRows } from "../db/queries/webhook-endpoints.ts";
import type { NewWork } from "../db/queries/work-rows.ts";
import { MAIL_RULES } from "../work/mail-rules.ts";
import type { Work } from "../work/work-queue.ts";

const KIND = "webhook_notice";

/** Takes a mail to each owner, or each operator where the organization is null: durable when it resolves. */
export type TellOwners = (
  organizationId: string | null,
  letter: { subject: string; lines: string[] },
) => Promise<void>;

type Payload = { id: string; organizationId: string | null };

/** The work that follows from switching it off. */
export const noticeOf = ({ id, organizationId, enabledAt }: EndpointRow, clock: Clock): NewWork => ({
  ...{ id: `${id}_${enabledAt}`, kind: KIND, dueMs: clock.now() },
  payload: JSON.stringify({ id, organizationId } satisfies Payload),
});

type NoticeDeps = { database: Database; work: Work; tellOwners: TellOwners };

export function handleOwnerMail({ database, work, tellOwners }: NoticeDeps): void {
  const endpoints = openEndpointRows(database);
  work.handle(KIND, {
    rules: MAIL_RULES,
    async attempt({ payload }) {
      const { id, organizationId } = JSON.parse(payload) as Payload;
      const endpoint = await endpoints.find({ organizationId, projectId: null }, id);
      if (endpoint?.status === "disabled") await tellOwners(organizationId, letterOf(endpoint));
      return [];
    },
  });
}

const letterOf = ({ id, organizationId, disabledReason }: EndpointRow) => ({
  subject: "A webhook endpoint was switched off",
  lines: [
    `Events are no longer sent to the webhook endpoint ${id} of your ${organizationId === null ? "server" : "organization"}.`,
    disabledReason === "gone"
      ? "It answered that it is gone (410)."
      : "Its last attempts failed, and none has succeeded for days.",
    "Events are kept for 30 days. Once the endpoint works, switch it on again and replay what it missed.",
  ],
});
