/**
 * Mails owners that their organization is about to be deleted, while it can still be kept. The work is added in the transaction that
 * asks for the deletion.
 *
 *   asked for ──> deletion_notice ──> one for each owner ──> a mail, five attempts
 *
 * Where the deletion is undone by then, no mail is sent.
 */
import type { Accounts } from "../accounts/accounts.ts";
import { DELETION_NOTICE_KIND, type DeletionNotice } from "../accounts/organization-deletion.ts";
import type { Clock } from "../clock.ts";
import type { Log } from "../log/log.ts";
import { MAIL_RULES } from "../work/mail-rules.ts";
import type { Work } from "../work/work-queue.ts";

type Letter = { organization: { id: string; name: string }; subject: string; lines: string[] };

export type DeletionMailDeps = {
  accounts: Pick<Accounts, "organization" | "ownersOf">;
  /** Rejects if the mail server does not take the mail now; "refused": it never will. */
  sendNotice(to: string, letter: Letter): Promise<"sent" | "refused">;
  work: Pick<Work, "handle">;
  clock: Clock;
  log: Log;
};

/** The mail server refused the address for good. */
class Refused extends Error {}

export function handleDeletionMail({ accounts, sendNotice, work, clock, log }: DeletionMailDeps): void {
  work.handle(DELETION_NOTICE_KIND, {
    rules: MAIL_RULES,
    async attempt({ id, payload }) {
      const notice = JSON.parse(payload) as DeletionNotice;
      const organization = await accounts.organization(notice.organizationId);
      if (organization === null || organization.deleteAt !== notice.deleteAt) return []; // it was undone
      const owners = await accounts.ownersOf(organization.id);
      if (notice.userId === undefined)
        return owners.map(({ id: userId }) => ({
          ...{ id: `${id}_${notice.deleteAt}_${userId}`, kind: DELETION_NOTICE_KIND, dueMs: clock.now() },
          payload: JSON.stringify({ ...notice, userId }),
        }));
      const owner = owners.find((each) => each.id === notice.userId);
      if (owner && (await sendNotice(owner.email, letterOf(organization, notice.deleteAt))) === "refused")
        throw new Refused("an address was refused");
      return [];
    },
    failureOf: (cause) => ({ isFinal: cause instanceof Refused }),
    failed: (_, { id, again }) =>
      log.error(again ? "deletion_mail_failed" : "deletion_mail_given_up", { id }),
  });
}

function letterOf({ id, name }: Letter["organization"], deleteAt: number): Letter {
  const at = new Date(deleteAt * 1000).toISOString();
  return {
    organization: { id, name },
    subject: "An organization is about to be deleted",
    lines: [
      `It will be deleted on ${at.slice(0, 10)} at ${at.slice(11, 16)} (UTC), with its keys, members, voices, files and logs. Its keys are refused already.`,
      "Until then an owner can keep it, or download all that is kept of it, under its settings. After that it cannot be undone.",
    ],
  };
}
