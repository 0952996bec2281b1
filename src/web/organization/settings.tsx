/** The settings of the organization, and creating another. */

import { useState } from "react";
import { useWrite } from "../api/queries.ts";
import { useHasRole, useOrganization } from "../api/session.ts";
import { showListPrices, useListPrices } from "../browser/list-prices.ts";
import { planName } from "../format/plan.ts";
import { DIRECTION, LANGUAGE } from "../language/chosen.ts";
import { accountTexts } from "../language/en/account.ts";
import { Button, CopyButton } from "../ui/button.tsx";
import { Check, Field, Form } from "../ui/form/form.tsx";
import { Card, Page } from "../ui/page.tsx";
import { DeleteOrganization } from "./delete-organization.tsx";
import { ExportOrganization } from "./export-organization.tsx";
import { NewOrganization } from "./new-organization.tsx";
import { Privacy } from "./privacy.tsx";
import { RequiredFactor } from "./two-factor.tsx";

export function Settings() {
  const organization = useOrganization();
  const { id, name, role } = organization;
  const isOwner = useHasRole("owner");
  const [isRenaming, setRenaming] = useState(false);
  const [isCreating, setCreating] = useState(location.hash === "#new");
  return (
    <Page title="Settings">
      <Card
        title="Organization"
        actions={isOwner && !isRenaming && <Button onClick={() => setRenaming(true)}>Rename</Button>}
      >
        <dl className="facts">
          <dt>Name</dt>
          <dd>
            <bdi>{name}</bdi>
          </dd>
          <dt>ID</dt>
          <dd>
            <code>{id}</code> <CopyButton text={id} label="Copy ID" />
          </dd>
          <dt>Your role</dt>
          <dd>{role}</dd>
          <dt>Plan</dt>
          <dd>{planName(organization)}</dd>
        </dl>
        {organization.plan === "unmetered" && <ListPrices />}
        {isRenaming && <Rename onDone={() => setRenaming(false)} />}
        {!isOwner && <p className="hint">Only an owner can rename it.</p>}
      </Card>
      <RequiredFactor />
      <Privacy />
      {isCreating ? (
        <div lang={LANGUAGE} dir={DIRECTION}>
          <NewOrganization title={accountTexts()("createAnother")} />
        </div>
      ) : (
        <p>
          <Button onClick={() => setCreating(true)}>Create another organization</Button>
        </p>
      )}
      <ExportOrganization />
      <DeleteOrganization />
    </Page>
  );
}

/** Nothing is charged: what it would cost is for who wants to know. */
function ListPrices() {
  const areShown = useListPrices();
  return (
    <Check
      name="list_prices"
      label="Show what requests would cost at list price"
      hint="In this browser. Nothing is charged on this plan."
      checked={areShown}
      onChange={(event) => showListPrices(event.target.checked)}
    />
  );
}

function Rename({ onDone }: { onDone: () => void }) {
  const { id, name: before } = useOrganization();
  const { mutateAsync: rename } = useWrite("PATCH /api/organizations/:organization");
  return (
    <Form
      submit="Save name"
      actions={<Button onClick={onDone}>Cancel</Button>}
      onSubmit={async ({ name = "" }) => {
        await rename({ ids: { organization: id }, body: { name } });
        onDone();
      }}
    >
      <Field name="name" label="New name" defaultValue={before} maxLength={100} autoComplete="off" required />
    </Form>
  );
}
