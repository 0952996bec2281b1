/** The result of a hosted checkout, shown when the user returns from it. */
import { type ReactNode, useEffect, useState } from "react";
import { useSearchParams } from "wouter";
import { refreshAll, useRead } from "../../api/queries.ts";
import type { Reply } from "../../api/server.ts";
import { useOrganization } from "../../api/session.ts";
import { money } from "../../format/dollars.ts";
import { Button } from "../../ui/button.tsx";
import { Notice } from "../../ui/page.tsx";
import { QueryBoundary } from "../../ui/query-boundary.tsx";
import { paymentProblemText } from "./payment-problems.ts";

const EVERY_MS = 2000;
const POLL_MAX_MS = 30_000;

type TopUp = Reply<"GET /api/organizations/:organization/billing/top-ups/:topUp">;

export function CheckoutReturn() {
  const [search, setSearch] = useSearchParams();
  const dismiss = (
    <div className="actions">
      <Button onClick={() => setSearch({}, { replace: true })}>Dismiss</Button>
    </div>
  );
  const topUp = search.get("top_up");
  if (topUp) return <TopUpStatus key={topUp} id={topUp} dismiss={dismiss} />;
  const cancelled = search.get("cancelled");
  if (cancelled)
    return (
      <Notice>
        <p>{cancelled === "card" ? "No card was saved." : "Checkout cancelled. You were not charged."}</p>
        {dismiss}
      </Notice>
    );
  if (search.get("card") === "saved")
    return (
      <Notice tone="good">
        <p>The card was saved. It appears below shortly.</p>
        {dismiss}
      </Notice>
    );
  return null;
}

/** Polls until the payment is settled, for a limited time; a slow payment is credited all the same. */
function TopUpStatus({ id, dismiss }: { id: string; dismiss: ReactNode }) {
  const { id: organization } = useOrganization();
  const [isPolling, setPolling] = useState(true);
  useEffect(() => {
    const timer = setTimeout(() => setPolling(false), POLL_MAX_MS);
    return () => clearTimeout(timer);
  }, []);
  const query = useRead(
    "GET /api/organizations/:organization/billing/top-ups/:topUp",
    { ids: { organization, topUp: id } },
    { everyMs: (last) => (isPolling && (!last || last.status === "pending") ? EVERY_MS : 0) },
  );
  const status = query.data?.status;
  useEffect(() => {
    if (status === "succeeded") void refreshAll();
  }, [status]);
  return (
    <QueryBoundary of={query}>
      {(topUp) => (
        <Notice tone={TONES[topUp.status]}>
          <p>{textOf(topUp, isPolling)}</p>
          {dismiss}
        </Notice>
      )}
    </QueryBoundary>
  );
}

const TONES = { pending: "plain", succeeded: "good", failed: "bad", expired: "warn" } as const;

function textOf({ status, amount_micros, problem }: TopUp, isPolling: boolean): string {
  const amount = money(amount_micros);
  if (status === "succeeded") return `${amount} bought and added to the balance.`;
  if (status === "expired") return `The checkout for ${amount} has expired. You were not charged.`;
  if (status === "failed")
    return `The payment of ${amount} failed${problem ? `: ${paymentProblemText(problem)}` : "."} You were not charged.`;
  return isPolling
    ? `Waiting for confirmation of the payment of ${amount} …`
    : `The payment of ${amount} is not confirmed yet. The credit is added as soon as it is.`;
}
