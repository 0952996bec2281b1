/** Somebody's own account: name, password, sessions, and the way to an organization for who has none. */
import { useState } from "react";
import { day } from "../lib/format.ts";
import { writeAuth } from "../lib/queries.ts";
import { useSession } from "../lib/session.ts";
import { NewOrganization } from "../organization/new-organization.tsx";
import { Field, Form } from "../ui/form/form.tsx";
import { Password } from "../ui/form/password.tsx";
import { Card, Notice, Page } from "../ui/page.tsx";
import { Invitations } from "./invitations.tsx";
import { Sessions } from "./sessions.tsx";
import "../style/account.css";

export function Account() {
  const { organizations } = useSession();
  return (
    <Page title="Account">
      {organizations.length === 0 && (
        <Notice>
          <p>You belong to no organization yet. Make one, or have somebody invite you to theirs.</p>
        </Notice>
      )}
      <Invitations />
      {organizations.length === 0 && <NewOrganization title="Make an organization" />}
      <div className="columns">
        <Person />
        <NewPassword />
      </div>
      <Sessions />
    </Page>
  );
}

function Person() {
  const { user } = useSession();
  const [saved, setSaved] = useState(false);
  return (
    <Card title="You">
      <dl className="facts">
        <dt>E-mail</dt>
        <dd>{user.email}</dd>
        <dt>Since</dt>
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

function NewPassword() {
  // a new key is a new form, with empty fields
  const [changes, setChanges] = useState(0);
  return (
    <Card title="Password">
      <p>A new password ends every other session of yours.</p>
      <Form
        key={changes}
        submit="Change the password"
        actions={<span role="status">{changes > 0 && "Changed. Other sessions have ended."}</span>}
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
