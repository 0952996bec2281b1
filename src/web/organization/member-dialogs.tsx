/** Dialogs that change membership: invite, change role, remove, leave, cancel an invitation. */

import { useState } from "react";
import { useRead, writeAuth } from "../api/queries.ts";
import { auth } from "../api/server.ts";
import { useHasRole, useOrganization, useSession } from "../api/session.ts";
import { leaveFor } from "../browser/addresses.ts";
import { Button } from "../ui/button.tsx";
import { Check, Choice, Field, Form } from "../ui/form/form.tsx";
import { FormDialog } from "../ui/form/form-dialog.tsx";
import { Dialog } from "../ui/overlay/dialog.tsx";
import { LinkDialog } from "../ui/overlay/link-dialog.tsx";
import { QueryBoundary } from "../ui/query-boundary.tsx";
import {
  type Member,
  type MembershipChange,
  type PendingInvitation,
  useInvitationLink,
} from "./membership.ts";

export function MembershipDialog({ change, onClose }: { change: MembershipChange; onClose: () => void }) {
  switch (change.kind) {
    case "invite":
      return <InviteMember onClose={onClose} />;
    case "role":
      return <ChangeRole of={change.member} onClose={onClose} />;
    case "remove":
      return <Remove of={change.member} onClose={onClose} />;
    case "leave":
      return <Leave onClose={onClose} />;
    case "cancel":
      return <Cancel of={change.invitation} onClose={onClose} />;
    case "resend":
      return <Resend of={change.invitation} onClose={onClose} />;
  }
}

type CloseProps = { onClose: () => void };

/** Only owners can appoint owners. */
function RoleChoice({ value }: { value: string }) {
  return (
    <Choice name="role" label="Role" defaultValue={value}>
      <option value="member">Member</option>
      <option value="admin">Admin</option>
      {useHasRole("owner") && <option value="owner">Owner</option>}
    </Choice>
  );
}

function InviteMember({ onClose }: CloseProps) {
  const { id: organizationId, name } = useOrganization();
  const [invited, setInvited] = useState<Invited | null>(null);
  const { data } = useRead("GET /api/installation", {});
  if (invited) return <InvitationMade of={invited} onClose={onClose} />;
  return (
    <Dialog title={`Invite a member to ${name}`} onClose={onClose}>
      <Form
        submit={data?.mail === "folder" ? "Create invitation link" : "Send invitation"}
        actions={<Button onClick={onClose}>Cancel</Button>}
        onSubmit={async ({ email, role }) => {
          setInvited(await writeAuth<Invited>("organization/invite-member", { organizationId, email, role }));
        }}
      >
        <Field name="email" label="E-mail" type="email" autoComplete="off" required />
        <RoleChoice value="member" />
      </Form>
    </Dialog>
  );
}

/** `secret`: of its link, which then creates the account. */
type Invited = Pick<PendingInvitation, "id" | "email"> & { mail: keyof typeof MAILED; secret: string | null };

const MAILED = {
  sent: "The invitation was sent. You can also pass on its link.",
  waiting:
    "The mail server has not taken the invitation yet, and is asked again. You can also pass on its link.",
  failed: "The invitation could not be sent by e-mail: send this link to the person yourself.",
  refused: "The mail server refuses this address. Check it, or send this link to the person yourself.",
};

const JOINS =
  "This server sends no e-mail: send this link to the person yourself, and to no one else. They choose a password and are a member at once. The link works once, and is shown only now.";
const APPROVED =
  "This server sends no e-mail: send this link to the person yourself. An operator approves the new account on the page Users.";

/** Not everywhere is mail sent, and not every mail arrives: the link can be passed on by hand. */
function InvitationMade({ of: invited, onClose }: CloseProps & { of: Invited }) {
  const { data } = useRead("GET /api/installation", {});
  const link = useInvitationLink()(invited);
  return (
    <LinkDialog title={`${invited.email} is invited`} link={link} onClose={onClose}>
      <p role="status">
        {data?.mail === "folder" ? (invited.secret ? JOINS : APPROVED) : MAILED[invited.mail]} It works for
        this address only, for 7 days.
      </p>
    </LinkDialog>
  );
}

function Resend({ of: { id, email, role }, onClose }: CloseProps & { of: PendingInvitation }) {
  const { id: organizationId } = useOrganization();
  const { data } = useRead("GET /api/installation", {});
  const isSent = data?.mail !== "folder";
  const [invited, setInvited] = useState<Invited | null>(null);
  if (invited) return <InvitationMade of={invited} onClose={onClose} />;
  return (
    <Dialog title={isSent ? `Invite ${email} again?` : `A new link for ${email}?`} onClose={onClose}>
      <Form
        submit={isSent ? "Send invitation" : "Create invitation link"}
        actions={<Button onClick={onClose}>Cancel</Button>}
        onSubmit={async () => {
          await auth("organization/cancel-invitation", { invitationId: id });
          setInvited(await writeAuth<Invited>("organization/invite-member", { organizationId, email, role }));
        }}
      >
        <p>
          {isSent ? "A new link is sent" : "The new link is shown to you"}, valid for 7 days. The earlier one
          stops working.
        </p>
      </Form>
    </Dialog>
  );
}

function ChangeRole({ of: { id: memberId, role: before, user }, onClose }: CloseProps & { of: Member }) {
  const { id: organizationId } = useOrganization();
  return (
    <FormDialog
      title={`Change the role of ${user.name}`}
      onClose={onClose}
      submit="Change role"
      onSubmit={({ role }) =>
        writeAuth("organization/update-member-role", { organizationId, memberId, role })
      }
    >
      <RoleChoice value={before} />
    </FormDialog>
  );
}

function Remove({ of: { id, user }, onClose }: CloseProps & { of: Member }) {
  const { id: organizationId, name } = useOrganization();
  return (
    <FormDialog
      kind="danger"
      title={`Remove ${user.name}?`}
      submit="Remove member"
      onSubmit={({ keep }) =>
        writeAuth("organization/remove-member", {
          organizationId,
          memberIdOrEmail: id,
          keys: keysAction(keep),
        })
      }
      onClose={onClose}
    >
      <p>
        {user.name} ({user.email}) loses access to {name}.
      </p>
      <AffectedKeys userId={user.id} keepLabel="Keep these keys active" />
    </FormDialog>
  );
}

function Leave({ onClose }: CloseProps) {
  const { id: organizationId, name } = useOrganization();
  const { user } = useSession();
  return (
    <FormDialog
      kind="danger"
      title={`Leave ${name}?`}
      submit="Leave organization"
      onSubmit={async ({ keep }) => {
        await auth("organization/leave", { organizationId, keys: keysAction(keep) });
        leaveFor("/"); // a full page load stops all polling of the organization
      }}
      onClose={onClose}
    >
      <p>You lose access to {name} until you are invited again.</p>
      <AffectedKeys userId={user.id} keepLabel={useHasRole("admin") ? "Keep these keys active" : null} />
    </FormDialog>
  );
}

const keysAction = (keep: string | undefined) => (keep ? "keep" : "revoke");

/** The keys that are revoked with a membership; admins may keep them. */
function AffectedKeys({ userId, keepLabel }: { userId: string; keepLabel: string | null }) {
  const query = { created_by: userId, status: "active" as const, limit: 100 };
  const ids = { organization: useOrganization().id };
  const keys = useRead("GET /api/organizations/:organization/keys", { ids, query });
  return (
    <QueryBoundary of={keys}>
      {({ data, has_more }) =>
        data.length === 0 ? (
          <p>No keys are affected.</p>
        ) : (
          <>
            <p>These keys will be revoked{has_more ? ", and more" : ""}:</p>
            <ul>
              {data.map(({ id, name, prefix, last4 }) => (
                <li key={id}>
                  {name}{" "}
                  <code>
                    {prefix}…{last4}
                  </code>
                </li>
              ))}
            </ul>
            {keepLabel && <Check name="keep" label={keepLabel} />}
          </>
        )
      }
    </QueryBoundary>
  );
}

function Cancel({ of: { id, email }, onClose }: CloseProps & { of: PendingInvitation }) {
  return (
    <FormDialog
      kind="danger"
      title={`Cancel the invitation of ${email}?`}
      submit="Cancel invitation"
      onSubmit={() => writeAuth("organization/cancel-invitation", { invitationId: id })}
      onClose={onClose}
    >
      <p>The link in the e-mail stops working.</p>
    </FormDialog>
  );
}
