/** Warns every member about suspension, a low balance, exhausted credit, a reached spending limit or a failed recharge. */
import { Link, useLocation } from "wouter";
import { useRead } from "../api/queries.ts";
import { type Membership, useSession } from "../api/session.ts";
import { CreditHelp } from "../billing/credit-help.tsx";
import { isCreditReversed, paymentProblemText } from "../billing/payments/payment-problems.ts";
import { hrefOf } from "../browser/navigation.ts";
import { money } from "../format/dollars.ts";
import { DIRECTION, LANGUAGE } from "../language/chosen.ts";
import { creditTexts } from "../language/en/credit.ts";
import { Notice } from "../ui/page.tsx";
import { bold } from "../ui/rich.tsx";

const EVERY_MS = 5000;

export function Banner({ organization: { id, role } }: { organization: Membership }) {
  const [location] = useLocation();
  const { data } = useRead(
    "GET /api/organizations/:organization/banner",
    { ids: { organization: id } },
    { everyMs: EVERY_MS },
  );
  if (!data) return null;
  const t = creditTexts();
  const billing = hrefOf(id, "billing");
  const isOnBilling = location === billing; // which says itself how to get credit
  const action = isOnBilling ? null : <CreditHelp payments={data.payments} />;
  return (
    <div className="banners" lang={LANGUAGE} dir={DIRECTION}>
      {data.banner === "suspended" && <Suspended id={id} />}
      {data.banner === "about_to_be_deleted" && location !== hrefOf(id, "settings") && (
        <Notice tone="bad">
          <p>
            {t.rich("deleting", { b: bold })} <Link href={hrefOf(id, "settings")}>{t("deletingWhen")}</Link>
          </p>
        </Notice>
      )}
      {data.banner === "out_of_credits" && (
        <Notice tone="bad">
          <p>
            {t.rich("out", { b: bold })} {action}
          </p>
        </Notice>
      )}
      {data.banner === "low_balance" && (
        <Notice tone="warn">
          <p>
            {t.rich("low", { amount: money(data.balance_micros), b: bold })} {action}
          </p>
        </Notice>
      )}
      {data.banner === "spending_limit" && (
        <Notice tone="bad">
          <p>
            {t.rich("limit", { b: bold })}{" "}
            {role !== "member" && !isOnBilling && <Link href={billing}>{t("viewBilling")}</Link>}
          </p>
        </Notice>
      )}
      {data.recharge_problem && (
        <Notice tone="warn">
          <p>
            <strong>{t(isCreditReversed(data.recharge_problem) ? "rechargeOff" : "rechargeFailed")}</strong>{" "}
            <span lang="en">{paymentProblemText(data.recharge_problem)}</span> {action}
          </p>
        </Notice>
      )}
    </div>
  );
}

function Suspended({ id }: { id: string }) {
  const t = creditTexts();
  const { operator } = useSession().user;
  return (
    <Notice tone="bad">
      <p>
        {t.rich("suspended", { b: bold })}{" "}
        {operator ? <Link href={`/operator/organizations/${id}`}>{t("resume")}</Link> : t("askResume")}
      </p>
    </Notice>
  );
}
