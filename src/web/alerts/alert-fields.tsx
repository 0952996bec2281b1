/** The form fields of a spend alert: when it goes off, and who is told. */
import { useState } from "react";
import { useAuth } from "../api/queries.ts";
import type { Input } from "../api/server.ts";
import { useOrganization, useSession } from "../api/session.ts";
import { dollarsOf } from "../format/amount.ts";
import { AmountField, amountIn } from "../ui/form/amount-field.tsx";
import { Check, Choice, Field } from "../ui/form/form.tsx";
import { NoMailNotice } from "../ui/no-mail.tsx";
import { QueryBoundary } from "../ui/query-boundary.tsx";
import { type Alert, microsOfThreshold } from "./alert.ts";
import { addressesIn, OtherAddresses } from "./other-addresses.tsx";

type Body = Input<"POST /api/organizations/:organization/spend-alerts">["body"];

const CENT_MICROS = 10_000;
const CENTS_MAX = 100_000_000;

type ThresholdFieldsProps = { scope: Alert["scope"]; of: Alert | null };

/** An amount in a month, or a share of what caps it. An unmetered organization has no spending limit. */
export function ThresholdFields({ scope, of: alert }: ThresholdFieldsProps) {
  const { plan } = useOrganization();
  const percent = alert?.threshold_percent ?? null;
  const [measure, setMeasure] = useState(percent === null ? "amount" : "percent");
  const micros = alert && percent === null ? microsOfThreshold(alert) : null;
  const isCapped = scope !== "organization" || plan === "prepaid" || percent !== null;
  const cap = scope === "organization" ? "monthly spending limit" : "budget";
  return (
    <>
      {isCapped && (
        <Choice
          name="measure"
          label="Goes off at"
          value={measure}
          onChange={(event) => setMeasure(event.target.value)}
        >
          <option value="amount">An amount in a calendar month</option>
          <option value="percent">A share of the {cap}</option>
        </Choice>
      )}
      {measure === "amount" ? (
        <AmountField
          name="threshold_amount"
          label={isCapped ? "Amount" : "Goes off at, in a calendar month"}
          hint="At list price, in UTC."
          defaultValue={micros === null ? "" : dollarsOf(micros)}
        />
      ) : (
        <Field
          {...{ name: "threshold_percent", label: "Share, in percent", type: "number", min: 1, max: 100 }}
          hint={
            scope === "organization"
              ? "Of what may be deducted in a month. Without a spending limit it does not go off."
              : "In the budget's own period. Without a budget it does not go off."
          }
          defaultValue={percent ?? 80}
          required
        />
      )}
    </>
  );
}

export function thresholdIn(
  values: Record<string, string>,
): Pick<Body, "threshold_amount" | "threshold_percent"> {
  if (values.threshold_percent !== undefined) return { threshold_percent: Number(values.threshold_percent) };
  const bounds = { minMicros: CENT_MICROS, maxMicros: CENTS_MAX * CENT_MICROS, wholeCents: true };
  return { threshold_amount: amountIn(values, { name: "threshold_amount", ...bounds }) / CENT_MICROS };
}

type Member = { id: string; user: { name: string; email: string } };

export function ChannelFields({ of: alert }: { of: Alert | null }) {
  const { id } = useOrganization();
  const { type: before, subject_prefix: prefix } = alert?.notification_channel ?? {};
  const [type, setType] = useState<string>(before ?? "email");
  const members = useAuth<{ members: Member[] }>(`organization/list-members?organizationId=${id}`);
  return (
    <>
      <Choice
        name="channel"
        label="Tells"
        hint="Webhooks get the event spend.alert either way."
        value={type}
        onChange={(event) => setType(event.target.value)}
      >
        <option value="email">People, by mail</option>
        <option value="webhook">Webhooks only</option>
      </Choice>
      {type === "email" && (
        <>
          <NoMailNotice />
          <QueryBoundary of={members}>
            {(data) => <Recipients members={data.members} of={alert} />}
          </QueryBoundary>
          <Field
            name="subject_prefix"
            label="Subjects begin with"
            placeholder="[Speech]"
            maxLength={100}
            autoComplete="off"
            defaultValue={prefix ?? ""}
          />
        </>
      )}
    </>
  );
}

/** `of`: null for a new alert, which tells who adds it. */
function Recipients({ members, of: alert }: { members: Member[]; of: Alert | null }) {
  const { user } = useSession();
  const before = alert?.notification_channel.recipients ?? [user.email];
  const chosen = new Set(before.map((address) => address.toLowerCase()));
  const addresses = new Set(members.map(({ user }) => user.email));
  const others = [...chosen].filter((address) => !addresses.has(address));
  return (
    <>
      <fieldset>
        <legend>Recipients</legend>
        {members.map(({ id, user: { name, email } }) => (
          <Check
            key={id}
            name="recipient"
            value={email}
            label={`${name} (${email})`}
            defaultChecked={chosen.has(email)}
          />
        ))}
      </fieldset>
      <OtherAddresses of={others} />
    </>
  );
}

export function channelIn(values: Record<string, string>, all: FormData): Body["notification_channel"] {
  if (values.channel === "webhook") return { type: "webhook" };
  const recipients = [...all.getAll("recipient").map(String), ...addressesIn(values)];
  if (recipients.length === 0) throw new Error("Choose a recipient at least.");
  return { type: "email", recipients, subject_prefix: values.subject_prefix?.trim() || null };
}
