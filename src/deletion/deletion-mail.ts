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
import { mailHandler, mailsTo, type Sent } from "../work/mail-handler.ts";
import type { Work } from "../work/work-queue.ts";

type Letter = { organization: { id: string; name: string }; subject: string; lines: string[] };

export type DeletionMailDeps = {
  accounts: Pick<Accounts, "organization" | "ownersOf">;
  /** Rejects if the mail server does not take the mail now. */
  sendNotice(to: string, letter: Letter): Promise<Sent>;
  work: Pick<Work, "handle">;
  clock: Clock;
  log: Log;
};

const EVENTS = { failed: "deletion_mail_failed", givenUp: "deletion_mail_given_up" } as const;

export function handleDeletionMail({ accounts, sendNotice, work, clock, log }: DeletionMailDeps): void {
  const mail = async (notice: DeletionNotice, id: string) => {
    const organization = await accounts.organization(notice.organizationId);
    if (organization === null || organization.deleteAt !== notice.deleteAt) return null; // it was undone
    const owners = await accounts.ownersOf(organization.id);
    if (notice.userId === undefined)
      return mailsTo(owners, {
        ...{ id: `${id}_${notice.deleteAt}`, kind: DELETION_NOTICE_KIND, dueMs: clock.now() },
        payload: notice,
      });
    const owner = owners.find((each) => each.id === notice.userId);
    return owner ? sendNotice(owner.email, letterOf(organization, notice.deleteAt)) : null;
  };
  work.handle(DELETION_NOTICE_KIND, mailHandler({ log, events: EVENTS }, mail));
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
