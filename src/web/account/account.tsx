/** The user's account: name, password, sessions, and a first organization for users without one. */

import { useState } from "react";
import type { Invitation } from "../api/invitations.ts";
import { useAuth, writeAuth } from "../api/queries.ts";
import { useSession } from "../api/session.ts";
import { day, distance, unixSecondsOf } from "../format/times.ts";
import { accountTexts } from "../language/en/account.ts";
import { controlsTexts } from "../language/en/controls.ts";
import { frameTexts } from "../language/en/frame.ts";
import { NewOrganization } from "../organization/new-organization.tsx";
import { LinkButton } from "../ui/button.tsx";
import { Field, Form } from "../ui/form/form.tsx";
import { PageLanguage } from "../ui/form/page-language.tsx";
import { Password } from "../ui/form/password.tsx";
import { Card, Notice, Page } from "../ui/page.tsx";
import { bold } from "../ui/rich.tsx";
import { DeleteAccount } from "./delete-account.tsx";
import { ExportAccount } from "./export-account.tsx";
import { SecondFactor } from "./second-factor.tsx";
import { Sessions } from "./sessions.tsx";

export function Account() {
  const t = accountTexts();
  const { organizations, provider } = useSession();
  return (
    <Page title={frameTexts()("account")}>
      {organizations.length === 0 && (
        <Notice>
          <p>{t("noOrganization")}</p>
        </Notice>
      )}
      <Invitations />
      {organizations.length === 0 && <NewOrganization title={t("createOrganization")} />}
      <div className="columns">
        <Profile />
        {provider === null && <ChangePassword />}
      </div>
      {provider === null && <SecondFactor />}
      <Card title={controlsTexts()("language")}>
        <PageLanguage hint={t("languageHint")} />
      </Card>
      <Sessions />
      <ExportAccount />
      <DeleteAccount />
    </Page>
  );
}

function Profile() {
  const t = accountTexts();
  const { user } = useSession();
  const [saved, setSaved] = useState(false);
  return (
    <Card title={t("profile")}>
      <dl className="facts">
        <dt>{t("email")}</dt>
        <dd>{user.email}</dd>
        <dt>{t("since")}</dt>
        <dd>{day(user.created_at)}</dd>
      </dl>
      <Form
        submit={t("save")}
        actions={<span role="status">{saved && controlsTexts()("saved")}</span>}
        onSubmit={async ({ name }) => {
          setSaved(false);
          await writeAuth("update-user", { name });
          setSaved(true);
        }}
      >
        <Field
          name="name"
          label={t("name")}
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
  const t = accountTexts();
  // each change renders a new form, with empty fields
  const [changes, setChanges] = useState(0);
  return (
    <Card title={t("password")}>
      <p>{t("passwordText")}</p>
      <Form
        key={changes}
        submit={t("changePassword")}
        actions={<span role="status">{changes > 0 && t("passwordChanged")}</span>}
        onSubmit={async ({ currentPassword, newPassword }) => {
          await writeAuth("change-password", { currentPassword, newPassword });
          setChanges((before) => before + 1);
        }}
      >
        <Password name="currentPassword" label={t("currentPassword")} />
        <Password name="newPassword" label={t("newPassword")} isNew />
      </Form>
    </Card>
  );
}

/** The user's pending invitations. */
function Invitations() {
  const t = accountTexts();
  const { data = [] } = useAuth<Invitation[]>("organization/list-user-invitations");
  if (data.length === 0) return null;
  return (
    <Card title={t("invitations")}>
      <ul className="account-rows">
        {data.map(({ id, organizationName, role, expiresAt }) => (
          <li key={id}>
            <span>
              {t.rich("invitedAs", {
                ...{ organization: organizationName, role, time: distance(unixSecondsOf(expiresAt)) },
                ...{ b: bold, small: (content) => <small>{content}</small> },
              })}
            </span>
            <LinkButton href={`/invitation?id=${encodeURIComponent(id)}`}>{t("viewInvitation")}</LinkButton>
          </li>
        ))}
      </ul>
    </Card>
  );
}
