/** The limit on spending per calendar month. */
import { useState } from "react";
import { Link } from "wouter";
import { useWrite } from "../api/queries.ts";
import { useHasRole, useOrganization } from "../api/session.ts";
import { hrefOf } from "../browser/navigation.ts";
import { money } from "../format/dollars.ts";
import { Button } from "../ui/button.tsx";
import { Form } from "../ui/form/form.tsx";
import { Saved } from "../ui/form/saved.tsx";
import { Card } from "../ui/page.tsx";
import { SpendingLimitFields, spendingLimitIn } from "./spending-limit-fields.tsx";

const DEFAULT_MICROS = 100_000_000;

/** One line, until an owner edits it. */
export function SpendingLimit({ limit }: { limit: number | null }) {
  const { id } = useOrganization();
  const isOwner = useHasRole("owner");
  const [isEditing, setEditing] = useState(false);
  return (
    <Card
      title="Monthly spending limit"
      actions={isOwner && !isEditing && <Button onClick={() => setEditing(true)}>Edit spending limit</Button>}
    >
      <p>
        {limit === null
          ? "No limit: requests are served as long as there is credit."
          : `Once ${money(limit)} have been spent in a month, requests are rejected until the next one, even with credit left.`}{" "}
        Months are in UTC. <Link href={hrefOf(id, "limits")}>Spend alerts</Link> tell members by mail before.
      </p>
      {isOwner && isEditing && <Settings limit={limit} />}
      {!isOwner && <small>Only owners can change it.</small>}
    </Card>
  );
}

function Settings({ limit }: { limit: number | null }) {
  const { id: organization } = useOrganization();
  const put = useWrite("PUT /api/organizations/:organization/billing/spending-limit");
  const save = (values: Record<string, string>) =>
    put.mutateAsync({ ids: { organization }, body: spendingLimitIn(values) });
  return (
    <Form submit="Save limit" kind="plain" onSubmit={save} actions={<Saved of={put} />}>
      <SpendingLimitFields limit={limit} proposed={DEFAULT_MICROS} />
    </Form>
  );
}
