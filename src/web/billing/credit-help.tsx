/** How an organization without credit gets some on this server: who can help, and where. */
import { Link } from "wouter";
import { useOrganization, useSession } from "../api/session.ts";
import { hrefOf } from "../browser/navigation.ts";
import { creditTexts } from "../language/en/credit.ts";
import { linkTo } from "../ui/rich.tsx";

export function CreditHelp({ payments }: { payments: boolean }) {
  const { operator } = useSession().user;
  if (operator && !payments) return <OperatorLink />;
  if (!payments) return creditTexts()("askCredit");
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
  return creditTexts().rich("operatorCan", { link: linkTo(`/operator/organizations?search=${id}`) });
}

function Buying() {
  const { id, role } = useOrganization();
  if (role === "member") return creditTexts()("askOwner");
  return (
    <Link href={hrefOf(id, "billing")}>{creditTexts()(role === "owner" ? "addCredit" : "viewBilling")}</Link>
  );
}
