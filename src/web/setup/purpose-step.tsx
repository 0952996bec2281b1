/** What the server is for, which decides the plan of its first organization. */

import { useLocation } from "wouter";
import { useRead, useWrite } from "../api/queries.ts";
import type { Membership } from "../api/session.ts";
import { setUpTexts } from "../language/en/set-up.ts";
import { Icon, type IconName } from "../ui/icon.tsx";
import { Failure } from "../ui/query-boundary.tsx";
import type { StepProps } from "./step-props.ts";

type Purpose = {
  name: "forMe" | "forTeam" | "forSale";
  icon: IconName;
  plan: Membership["plan"];
  signUp: "open" | "invited" | "closed";
};

const PURPOSES: Purpose[] = [
  {
    name: "forMe",
    icon: "user",
    plan: "unmetered",
    signUp: "closed",
  },
  {
    name: "forTeam",
    icon: "members",
    plan: "unmetered",
    signUp: "invited",
  },
  {
    name: "forSale",
    icon: "billing",
    plan: "prepaid",
    signUp: "open",
  },
];

export function PurposeStep({ organization }: StepProps) {
  const t = setUpTexts();
  const [, navigate] = useLocation();
  const change = useWrite("PATCH /api/operator/organizations/:tenant");
  const policy = useRead("GET /api/operator/sign-up", {});
  const chooseSignUp = useWrite("PUT /api/operator/sign-up");
  async function choose({ plan, signUp }: Purpose) {
    if (policy.data && !policy.data.is_configured && policy.data.policy !== signUp)
      await chooseSignUp.mutateAsync({ body: { policy: signUp } });
    if (plan !== organization.plan)
      await change.mutateAsync({ ids: { tenant: organization.id }, body: { plan } });
    navigate("/setup/voices");
  }
  const error = change.error ?? chooseSignUp.error;
  return (
    <>
      <ul className="purposes">
        {PURPOSES.map((purpose) => (
          <li key={purpose.name}>
            <button
              type="button"
              disabled={change.isPending || policy.isPending}
              onClick={() => void choose(purpose).catch(() => {})} // shown below
            >
              <Icon name={purpose.icon} size={24} />
              <strong>{t(purpose.name)}</strong>
              <span>{t(`${purpose.name}Text`)}</span>
            </button>
          </li>
        ))}
      </ul>
      {error && <Failure error={error} />}
      <p className="hint">{t("changeLater")}</p>
    </>
  );
}
