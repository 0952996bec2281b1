/** Addresses that are not members' and are told of alerts once they agreed by a mailed link: how they are entered and shown. */
import { useRead } from "../api/queries.ts";
import { Field } from "../ui/form/form.tsx";
import { Badge } from "../ui/page.tsx";

const NAME = "other_addresses";

/** Where the server sends no mail they can only be removed. */
export function OtherAddresses({ of: addresses }: { of: string[] }) {
  const { data } = useRead("GET /api/installation", {});
  if (data?.mail !== "smtp" && addresses.length === 0) return null;
  return (
    <Field
      name={NAME}
      label="Other addresses"
      placeholder="ada@example.com, bob@example.com"
      hint="Separated by commas. Each is asked by mail first whether it agrees."
      maxLength={5000}
      autoComplete="off"
      defaultValue={addresses.join(", ")}
    />
  );
}

export const addressesIn = (values: Record<string, string>): string[] =>
  (values[NAME] ?? "").split(/[\s,;]+/).filter((each) => each !== "");

export type AddressState = "pending" | "unsubscribed" | null;

/** `state`: null for who gets mail. */
export const Address = ({ of: address, state }: { of: string; state: AddressState }) => (
  <>
    {address}
    {state !== null && (
      <>
        {" "}
        <Badge tone="warn">{state === "pending" ? "not confirmed" : "unsubscribed"}</Badge>
      </>
    )}
  </>
);
