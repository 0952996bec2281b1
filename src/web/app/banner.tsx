/** Warns every member about suspension, a low balance, exhausted credit, a reached spending limit or a failed recharge. */
import { Link, useLocation } from "wouter";
import { useRead } from "../api/queries.ts";
import { type Membership, useSession } from "../api/session.ts";
import { CreditHelp } from "../billing/credit-help.tsx";
import { isCreditReversed, paymentProblemText } from "../billing/payments/payment-problems.ts";
import { hrefOf } from "../browser/navigation.ts";
import { money } from "../format/dollars.ts";
import { Notice } from "../ui/page.tsx";

const EVERY_MS = 5000;

export function Banner({ organization: { id, role } }: { organization: Membership }) {
  const [location] = useLocation();
  const { data } = useRead(
    "GET /api/organizations/:organization/banner",
    { ids: { organization: id } },
    { everyMs: EVERY_MS },
  );
  if (!data) return null;
  const billing = hrefOf(id, "billing");
  const isOnBilling = location === billing; // which says itself how to get credit
  const action = isOnBilling ? null : <CreditHelp payments={data.payments} />;
  return (
    <>
      {data.banner === "suspended" && <Suspended id={id} />}
      {data.banner === "about_to_be_deleted" && location !== hrefOf(id, "settings") && (
        <Notice tone="bad">
          <p>
            <strong>This organization is about to be deleted.</strong> Requests with its keys are rejected.{" "}
            <Link href={hrefOf(id, "settings")}>When, and how to undo that</Link>
          </p>
        </Notice>
      )}
      {data.banner === "out_of_credits" && (
        <Notice tone="bad">
          <p>
            <strong>Out of credits.</strong> Requests are rejected until credit is added. {action}
          </p>
        </Notice>
      )}
      {data.banner === "low_balance" && (
        <Notice tone="warn">
          <p>
            <strong>Low balance:</strong> {money(data.balance_micros)} left. {action}
          </p>
        </Notice>
      )}
      {data.banner === "spending_limit" && (
        <Notice tone="bad">
          <p>
            <strong>Monthly spending limit reached.</strong> Requests are rejected until the limit is raised
            or the month ends. {role !== "member" && !isOnBilling && <Link href={billing}>View billing</Link>}
          </p>
        </Notice>
      )}
      {data.recharge_problem && (
        <Notice tone="warn">
          <p>
            <strong>
              {isCreditReversed(data.recharge_problem) ? "Auto-recharge is off" : "Auto-recharge failed"}:
            </strong>{" "}
            {paymentProblemText(data.recharge_problem)} {action}
          </p>
        </Notice>
      )}
    </>
  );
}

function Suspended({ id }: { id: string }) {
  const { operator } = useSession().user;
  return (
    <Notice tone="bad">
      <p>
        <strong>This organization is suspended.</strong> Requests with its keys are rejected; nothing was
        deleted.{" "}
        {operator ? (
          <Link href={`/operator/organizations/${id}`}>Resume it</Link>
        ) : (
          "Ask this server's operator to resume it."
        )}
      </p>
    </Notice>
  );
}
