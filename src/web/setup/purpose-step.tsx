/** What the server is for, which decides the plan of its first organization. */
import { useLocation } from "wouter";
import { useRead, useWrite } from "../api/queries.ts";
import type { Membership } from "../api/session.ts";
import { Failure } from "../ui/query-boundary.tsx";
import type { StepProps } from "./step-props.ts";

type Purpose = {
  name: string;
  text: string;
  plan: Membership["plan"];
  signUp: "open" | "invited" | "closed";
};

const PURPOSES: Purpose[] = [
  {
    name: "For me",
    text: "No credit, no prices, and the limits of this machine. No one else can sign up.",
    plan: "unmetered",
    signUp: "closed",
  },
  {
    name: "For a team",
    text: "The same for everyone you invite. Usage is shown by project and key.",
    plan: "unmetered",
    signUp: "invited",
  },
  {
    name: "I sell it",
    text: "Customers sign up and pay with prepaid credit. Payments need Stripe in the configuration.",
    plan: "prepaid",
    signUp: "open",
  },
];

export function PurposeStep({ organization }: StepProps) {
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
              <strong>{purpose.name}</strong>
              <span>{purpose.text}</span>
            </button>
          </li>
        ))}
      </ul>
      {error && <Failure error={error} />}
      <p className="hint">
        You can change this at any time under Server: plans on the page Organizations, who may sign up on the
        page Users.
      </p>
    </>
  );
}
