/** What became of the visit to the hosted checkout, for whoever comes back from it. */
import { type ReactNode, useEffect, useState } from "react";
import { useSearchParams } from "wouter";
import { money } from "../lib/format.ts";
import { queryClient, useRead } from "../lib/queries.ts";
import type { Reply } from "../lib/server.ts";
import { useOrganization } from "../lib/session.ts";
import { Button } from "../ui/button.tsx";
import { Notice } from "../ui/page.tsx";
import { QueryBoundary } from "../ui/query-boundary.tsx";
import { paymentProblemText } from "./payment-problems.ts";

const EVERY_MS = 2000;
const PATIENCE_MS = 30_000;

type TopUp = Reply<"GET /api/organizations/:organization/billing/top-ups/:topUp">;

export function Returned() {
  const [search, setSearch] = useSearchParams();
  const dismiss = (
    <div className="actions">
      <Button onClick={() => setSearch({}, { replace: true })}>Dismiss</Button>
    </div>
  );
  const topUp = search.get("top_up");
  if (topUp) return <Arrival key={topUp} id={topUp} dismiss={dismiss} />;
  const cancelled = search.get("cancelled");
  if (cancelled)
    return (
      <Notice>
        <p>
          {cancelled === "card"
            ? "You left before a card was saved."
            : "You left the checkout. Nothing was charged."}
        </p>
        {dismiss}
      </Notice>
    );
  if (search.get("card") === "saved")
    return (
      <Notice tone="good">
        <p>The card is saved. It shows below within moments.</p>
        {dismiss}
      </Notice>
    );
  return null;
}

/** Asks until it is known, but not for ever: what is slow arrives by itself. */
function Arrival({ id, dismiss }: { id: string; dismiss: ReactNode }) {
  const { id: organization } = useOrganization();
  const [patient, setPatient] = useState(true);
  useEffect(() => {
    const timer = setTimeout(() => setPatient(false), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, []);
  const read = useRead(
    "GET /api/organizations/:organization/billing/top-ups/:topUp",
    { ids: { organization, topUp: id } },
    { everyMs: (last) => (patient && (!last || last.status === "pending") ? EVERY_MS : 0) },
  );
  const status = read.data?.status;
  useEffect(() => {
    if (status === "succeeded") void queryClient.invalidateQueries();
  }, [status]);
  return (
    <QueryBoundary of={read}>
      {(topUp) => (
        <Notice tone={TONES[topUp.status]}>
          <p>{wordsOf(topUp, patient)}</p>
          {dismiss}
        </Notice>
      )}
    </QueryBoundary>
  );
}

const TONES = { pending: "plain", succeeded: "good", failed: "bad", expired: "warn" } as const;

function wordsOf({ status, amount_micros, problem }: TopUp, patient: boolean): string {
  const amount = money(amount_micros);
  if (status === "succeeded") return `${amount} bought. It is in the balance.`;
  if (status === "expired") return `The checkout for ${amount} has expired. Nothing was charged.`;
  if (status === "failed")
    return `The payment of ${amount} failed${problem ? `: ${paymentProblemText(problem)}` : "."} Nothing was charged.`;
  return patient
    ? `Waiting for the payment of ${amount} to be confirmed …`
    : `The payment of ${amount} is not confirmed yet. Once it is, the credit appears here by itself.`;
}
