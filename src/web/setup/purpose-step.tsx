/** What the server is for, which decides the plan of its first organization. */
import { useLocation } from "wouter";
import { useWrite } from "../api/queries.ts";
import type { Membership } from "../api/session.ts";
import { Failure } from "../ui/query-boundary.tsx";
import type { StepProps } from "./step-props.ts";

type Purpose = { name: string; text: string; plan: Membership["plan"] };

const PURPOSES: Purpose[] = [
  { name: "For me", text: "No credit, no prices, and the limits of this machine.", plan: "unmetered" },
  {
    name: "For a team",
    text: "The same for everyone you invite. Usage is shown by project and key.",
    plan: "unmetered",
  },
  {
    name: "I sell it",
    text: "Customers sign up and pay with prepaid credit. Payments need Stripe in the configuration.",
    plan: "prepaid",
  },
];

export function PurposeStep({ organization }: StepProps) {
  const [, navigate] = useLocation();
  const change = useWrite("PATCH /api/operator/organizations/:tenant");
  async function choose(plan: Membership["plan"]) {
    if (plan !== organization.plan)
      await change.mutateAsync({ ids: { tenant: organization.id }, body: { plan } });
    navigate("/setup/voices");
  }
  return (
    <>
      <ul className="purposes">
        {PURPOSES.map(({ name, text, plan }) => (
          <li key={name}>
            <button
              type="button"
              disabled={change.isPending}
              onClick={() => void choose(plan).catch(() => {})} // shown below
            >
              <strong>{name}</strong>
              <span>{text}</span>
            </button>
          </li>
        ))}
      </ul>
      {change.error && <Failure error={change.error} />}
      <p className="hint">You can change this at any time under Server, Organizations.</p>
    </>
  );
}
