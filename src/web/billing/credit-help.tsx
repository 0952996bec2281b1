/** How an organization without credit gets some on this server: who can help, and where. */
import { Link } from "wouter";
import { useOrganization, useSession } from "../api/session.ts";
import { hrefOf } from "../browser/navigation.ts";

export function CreditHelp({ payments }: { payments: boolean }) {
  const { operator } = useSession().user;
  if (operator && !payments) return <OperatorLink />;
  if (!payments) return "Ask this server's operator for credit.";
  return (
    <>
      <Buying />
      {operator && (
        <>
          {" "}
          <OperatorLink />
        </>
      )}
    </>
  );
}

function OperatorLink() {
  const { id } = useOrganization();
  return (
    <>
      As the operator, you can{" "}
      <Link href={`/operator/organizations?search=${id}`}>grant credit or switch metering off</Link>.
    </>
  );
}

function Buying() {
  const { id, role } = useOrganization();
  if (role === "member") return "Ask an owner to add credit.";
  return <Link href={hrefOf(id, "billing")}>{role === "owner" ? "Add credit" : "View billing"}</Link>;
}
