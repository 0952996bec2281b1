/** The user's account: name, password, sessions, and a first organization for users without one. */

import { useState } from "react";
import type { Invitation } from "../api/invitations.ts";
import { useAuth, writeAuth } from "../api/queries.ts";
import { useSession } from "../api/session.ts";
import { day, distance, unixSecondsOf } from "../format/times.ts";
import { NewOrganization } from "../organization/new-organization.tsx";
import { LinkButton } from "../ui/button.tsx";
import { Field, Form } from "../ui/form/form.tsx";
import { PageLanguage } from "../ui/form/page-language.tsx";
import { Password } from "../ui/form/password.tsx";
import { Card, Notice, Page } from "../ui/page.tsx";
import { DeleteAccount } from "./delete-account.tsx";
import { ExportAccount } from "./export-account.tsx";
import { SecondFactor } from "./second-factor.tsx";
import { Sessions } from "./sessions.tsx";

export function Account() {
  const { organizations, provider } = useSession();
  return (
    <Page title="Account">
      {organizations.length === 0 && (
        <Notice>
          <p>You are not a member of any organization. Create one, or ask to be invited.</p>
        </Notice>
      )}
      <Invitations />
      {organizations.length === 0 && <NewOrganization title="Create an organization" />}
      <div className="columns">
        <Profile />
        {provider === null && <ChangePassword />}
      </div>
      {provider === null && <SecondFactor />}
      <Card title="Language">
        <PageLanguage hint="Of the pages, kept in this browser. Areas that are not translated yet are in English." />
      </Card>
      <Sessions />
      <ExportAccount />
      <DeleteAccount />
    </Page>
  );
}

function Profile() {
  const { user } = useSession();
  const [saved, setSaved] = useState(false);
  return (
    <Card title="Profile">
      <dl className="facts">
        <dt>E-mail</dt>
        <dd>{user.email}</dd>
        <dt>Member since</dt>
        <dd>{day(user.created_at)}</dd>
      </dl>
      <Form
        submit="Save"
        actions={<span role="status">{saved && "Saved."}</span>}
        onSubmit={async ({ name }) => {
          setSaved(false);
          await writeAuth("update-user", { name });
          setSaved(true);
        }}
      >
        <Field
          name="name"
          label="Name"
          defaultValue={user.name}
          maxLength={100}
          autoComplete="name"
          pattern=".*\S.*"
          required
        />
      </Form>
    </Card>
  );
}

function ChangePassword() {
  // each change renders a new form, with empty fields
  const [changes, setChanges] = useState(0);
  return (
    <Card title="Password">
      <p>Changing the password signs you out of all other sessions.</p>
      <Form
        key={changes}
        submit="Change password"
        actions={
          <span role="status">{changes > 0 && "Password changed. Other sessions have been signed out."}</span>
        }
        onSubmit={async ({ currentPassword, newPassword }) => {
          await writeAuth("change-password", { currentPassword, newPassword });
          setChanges((before) => before + 1);
        }}
      >
        <Password name="currentPassword" label="Current password" />
        <Password name="newPassword" label="New password" isNew />
      </Form>
    </Card>
  );
}

/** The user's pending invitations. */
function Invitations() {
  const { data = [] } = useAuth<Invitation[]>("organization/list-user-invitations");
  if (data.length === 0) return null;
  return (
    <Card title="Invitations">
      <ul className="account-rows">
        {data.map(({ id, organizationName, role, expiresAt }) => (
          <li key={id}>
            <span>
              <strong>{organizationName}</strong> as {role}{" "}
              <small>expires {distance(unixSecondsOf(expiresAt))}</small>
            </span>
            <LinkButton href={`/invitation?id=${encodeURIComponent(id)}`}>View invitation</LinkButton>
          </li>
        ))}
      </ul>
    </Card>
  );
}
