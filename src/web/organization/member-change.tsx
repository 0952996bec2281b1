/** Inviting, changing a role, removing, leaving: each in a dialog that names who. */
import { useRead, writeAuth } from "../lib/queries.ts";
import { auth } from "../lib/server.ts";
import { useHasRole, useOrganization, useSession } from "../lib/session.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Confirm } from "../ui/form/confirm.tsx";
import { Check, Choice, Field, Form } from "../ui/form/form.tsx";
import { QueryBoundary } from "../ui/query-boundary.tsx";
import type { Invite } from "./member-invitations.tsx";
import type { Member } from "./members.tsx";

export type Change =
  | { kind: "invite" | "leave" }
  | { kind: "role" | "remove"; member: Member }
  | { kind: "cancel"; invite: Invite };

export function MemberChange({ change, onClose }: { change: Change; onClose: () => void }) {
  switch (change.kind) {
    case "invite":
      return <InviteSomebody onClose={onClose} />;
    case "role":
      return <ChangeRole of={change.member} onClose={onClose} />;
    case "remove":
      return <Remove of={change.member} onClose={onClose} />;
    case "leave":
      return <Leave onClose={onClose} />;
    case "cancel":
      return <Cancel of={change.invite} onClose={onClose} />;
  }
}

type Closing = { onClose: () => void };

/** Only an owner makes another. */
function RoleChoice({ value }: { value: string }) {
  return (
    <Choice name="role" label="Role" defaultValue={value}>
      <option value="member">Member</option>
      <option value="admin">Admin</option>
      {useHasRole("owner") && <option value="owner">Owner</option>}
    </Choice>
  );
}

function InviteSomebody({ onClose }: Closing) {
  const { id: organizationId, name } = useOrganization();
  return (
    <Dialog title={`Invite somebody to ${name}`} onClose={onClose}>
      <Form
        submit="Send the invitation"
        actions={<Button onClick={onClose}>Cancel</Button>}
        onSubmit={async ({ email, role }) => {
          await writeAuth("organization/invite-member", { organizationId, email, role });
          onClose();
        }}
      >
        <Field name="email" label="E-mail" type="email" autoComplete="off" required />
        <RoleChoice value="member" />
      </Form>
    </Dialog>
  );
}

function ChangeRole({ of: { id: memberId, role: before, user }, onClose }: Closing & { of: Member }) {
  const { id: organizationId } = useOrganization();
  return (
    <Dialog title={`The role of ${user.name}`} onClose={onClose}>
      <Form
        submit="Change the role"
        actions={<Button onClick={onClose}>Cancel</Button>}
        onSubmit={async ({ role }) => {
          await writeAuth("organization/update-member-role", { organizationId, memberId, role });
          onClose();
        }}
      >
        <RoleChoice value={before} />
      </Form>
    </Dialog>
  );
}

function Remove({ of: { id, user }, onClose }: Closing & { of: Member }) {
  const { id: organizationId, name } = useOrganization();
  return (
    <Confirm
      title={`Remove ${user.name}?`}
      submit="Remove from the organization"
      onConfirm={({ keep }) =>
        writeAuth("organization/remove-member", {
          organizationId,
          memberIdOrEmail: id,
          keys: keysThen(keep),
        })
      }
      onClose={onClose}
    >
      <p>
        {user.name} ({user.email}) no longer sees {name}.
      </p>
      <KeysOf userId={user.id} keeping="Let these keys go on working" />
    </Confirm>
  );
}

function Leave({ onClose }: Closing) {
  const { id: organizationId, name } = useOrganization();
  const { user } = useSession();
  return (
    <Confirm
      title={`Leave ${name}?`}
      submit="Leave the organization"
      onConfirm={async ({ keep }) => {
        await auth("organization/leave", { organizationId, keys: keysThen(keep) });
        location.assign("/"); // a fresh page, which asks nothing about the organization any more
      }}
      onClose={onClose}
    >
      <p>You no longer see {name}, until somebody invites you again.</p>
      <KeysOf userId={user.id} keeping={useHasRole("admin") ? "Let these keys go on working" : null} />
    </Confirm>
  );
}

const keysThen = (keep: string | undefined) => (keep ? "keep" : "revoke");

/** What ends with a member: the keys that they made, unless somebody who may says otherwise. */
function KeysOf({ userId, keeping }: { userId: string; keeping: string | null }) {
  const query = { created_by: userId, status: "active" as const, limit: 100 };
  const ids = { organization: useOrganization().id };
  const keys = useRead("GET /api/organizations/:organization/keys", { ids, query });
  return (
    <QueryBoundary of={keys}>
      {({ data, has_more }) =>
        data.length === 0 ? (
          <p>No key is revoked by it.</p>
        ) : (
          <>
            <p>These keys are revoked with it{has_more ? ", and more" : ""}:</p>
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
            {keeping && <Check name="keep" label={keeping} />}
          </>
        )
      }
    </QueryBoundary>
  );
}

function Cancel({ of: { id, email }, onClose }: Closing & { of: Invite }) {
  return (
    <Confirm
      title={`Cancel the invitation of ${email}?`}
      submit="Cancel the invitation"
      onConfirm={() => writeAuth("organization/cancel-invitation", { invitationId: id })}
      onClose={onClose}
    >
      <p>The link that was mailed no longer works.</p>
    </Confirm>
  );
}
