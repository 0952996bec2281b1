/** Low balance, no credit, the month's limit: on every page, for everybody whose requests it stops. */
import { Link } from "wouter";
import { hrefOf } from "../lib/navigation.ts";
import { useRead } from "../lib/queries.ts";
import type { Membership } from "../lib/session.tsx";
import { money } from "../ui/format.ts";
import { Notice } from "../ui/page.tsx";

const EVERY_MS = 5000;

export function Banner({ here }: { here: Membership }) {
  const { data } = useRead(
    "GET /api/organizations/:organization/banner",
    { ids: { organization: here.id } },
    { everyMs: EVERY_MS },
  );
  if (!data) return null;
  const billing =
    here.role === "member" ? (
      "Ask an owner to add some."
    ) : (
      <Link href={hrefOf(here.id, "billing")}>{here.role === "owner" ? "Add credit" : "See billing"}</Link>
    );
  return (
    <>
      {data.banner === "out_of_credits" && (
        <Notice tone="bad">
          <p>
            <strong>Out of credits.</strong> Requests are refused until there are some. {billing}
          </p>
        </Notice>
      )}
      {data.banner === "low_balance" && (
        <Notice tone="warn">
          <p>
            <strong>Low balance:</strong> {money(data.balance_micros)} left. {billing}
          </p>
        </Notice>
      )}
      {data.banner === "spending_limit" && (
        <Notice tone="bad">
          <p>
            <strong>The month's spending limit is reached.</strong> Requests are refused until it is raised or
            the month ends.{" "}
            {here.role !== "member" && <Link href={hrefOf(here.id, "billing")}>See billing</Link>}
          </p>
        </Notice>
      )}
      {data.recharge_problem && (
        <Notice tone="warn">
          <p>
            <strong>
              {isTakenBack(data.recharge_problem) ? "Auto-recharge is off" : "Auto-recharge failed"}:
            </strong>{" "}
            {problemText(data.recharge_problem)} {billing}
          </p>
        </Notice>
      )}
    </>
  );
}

/** Auto-recharge went off because credit was taken back, though no charge failed. */
export const isTakenBack = (problem: string): boolean => ["refunded", "disputed"].includes(problem);

/** What Stripe's words mean, and our own for credit that was taken back. */
export function problemText(problem: string): string {
  if (problem === "refunded") return "a payment was refunded, and its credit was taken back.";
  if (problem === "disputed") return "a payment was disputed at the bank, and its credit was taken back.";
  if (problem === "authentication_required") return "the bank wants the card's owner to confirm the payment.";
  if (problem === "expired_card") return "the card has expired.";
  if (problem === "insufficient_funds") return "the card has not enough funds.";
  if (problem === "card_declined") return "the card was declined.";
  return `the card was declined (${problem.replaceAll("_", " ")}).`;
}
