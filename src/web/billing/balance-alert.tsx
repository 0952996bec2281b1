/** The balance below which owners are told by mail. */
import { Fragment, useState } from "react";
import { Address, addressesIn, OtherAddresses } from "../alerts/other-addresses.tsx";
import { useWrite } from "../api/queries.ts";
import { useHasRole, useOrganization } from "../api/session.ts";
import { dollarsOf } from "../format/amount.ts";
import { money } from "../format/dollars.ts";
import { Button } from "../ui/button.tsx";
import { AmountField, amountIn } from "../ui/form/amount-field.tsx";
import { Check, Form } from "../ui/form/form.tsx";
import { Saved } from "../ui/form/saved.tsx";
import { NoMailNotice } from "../ui/no-mail.tsx";
import { Badge, Card } from "../ui/page.tsx";
import type { BillingState } from "./payments/billing-state.ts";

const NAME = "balance_alert_micros";
const BOUNDS = { minMicros: 10_000, maxMicros: 1e12 };
const PROPOSED_MICROS = 5_000_000;

type Told = BillingState["balance_alert_recipients"];
type BalanceAlertProps = { threshold: number | null; told: Told; balance: number };

/** One line, until an owner edits it. `threshold`: micros; null for none. `told`: besides the owners. */
export function BalanceAlert({ threshold, told, balance }: BalanceAlertProps) {
  const isOwner = useHasRole("owner");
  const [isEditing, setEditing] = useState(false);
  return (
    <Card
      title="Balance alert"
      actions={isOwner && !isEditing && <Button onClick={() => setEditing(true)}>Edit balance alert</Button>}
    >
      <p>
        {threshold === null
          ? "Off: owners are not told of a low balance by mail."
          : `Owners get a mail once the balance falls below ${money(threshold)}, and webhooks an event. Requests go on.`}{" "}
        {threshold !== null && balance < threshold && <Badge tone="warn">below it now</Badge>}
      </p>
      {threshold !== null && told.length > 0 && <ToldToo these={told} />}
      {isOwner && isEditing && <Settings threshold={threshold} told={told} />}
      {!isOwner && <small>Only owners can change it.</small>}
    </Card>
  );
}

const ToldToo = ({ these }: { these: Told }) => (
  <p>
    Told too:{" "}
    {these.map(({ email, state }, index) => (
      <Fragment key={email}>
        {index > 0 && ", "}
        <Address of={email} state={state === "pending" || state === "unsubscribed" ? state : null} />
      </Fragment>
    ))}
  </p>
);

function Settings({ threshold, told }: Pick<BalanceAlertProps, "threshold" | "told">) {
  const { id: organization } = useOrganization();
  const put = useWrite("PUT /api/organizations/:organization/billing/balance-alert");
  const [isOn, setOn] = useState(threshold !== null);
  const save = (values: Record<string, string>) =>
    put.mutateAsync({
      ids: { organization },
      body: {
        balance_alert_micros: isOn ? amountIn(values, { name: NAME, ...BOUNDS }) : null,
        ...(isOn ? { balance_alert_recipients: addressesIn(values) } : {}),
      },
    });
  return (
    <Form submit="Save balance alert" kind="plain" onSubmit={save} actions={<Saved of={put} />}>
      <Check
        name="alerted"
        label="Tell owners when the balance is low"
        checked={isOn}
        onChange={(event) => setOn(event.target.checked)}
      />
      {isOn && (
        <>
          <AmountField
            name={NAME}
            label="Tell when the balance falls below"
            hint="Told again only once the balance was not below it in between."
            defaultValue={dollarsOf(threshold ?? PROPOSED_MICROS)}
          />
          <OtherAddresses of={told.map(({ email }) => email)} />
          <NoMailNotice />
        </>
      )}
    </Form>
  );
}
