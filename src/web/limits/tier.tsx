/** The organization's tier, and what it takes to get to the next. */
import { Link } from "wouter";
import { PAID, PAID_FROM_MICROS } from "../../plans.ts";
import { useRead } from "../api/queries.ts";
import { useHasRole, useOrganization, useSession } from "../api/session.ts";
import { hrefOf } from "../browser/navigation.ts";
import { money } from "../format/dollars.ts";
import { count, seconds } from "../format/numbers.ts";
import { Meter } from "../ui/meter.tsx";
import { Badge, Card } from "../ui/page.tsx";

export function Tier({ tier }: { tier: "free" | "paid" }) {
  const { id } = useOrganization();
  const { data } = useRead("GET /api/organizations/:organization", { ids: { organization: id } });
  const installation = useRead("GET /api/installation", {});
  const bought = data?.lifetime_purchased_micros ?? 0;
  return (
    <Card
      title="Tier"
      actions={<Badge tone={tier === "paid" ? "good" : "plain"}>{tier === "paid" ? "Paid" : "Free"}</Badge>}
    >
      {tier === "paid" ? (
        <p>This organization has bought {money(bought)} of credit and has the limits of the Paid tier.</p>
      ) : (
        installation.data?.payments && <NextTier bought={bought} />
      )}
      <RaiseLimits />
    </Card>
  );
}

function NextTier({ bought }: { bought: number }) {
  const { id } = useOrganization();
  return (
    <>
      <Meter
        name="Progress to the Paid tier"
        part={bought / PAID_FROM_MICROS}
        text={`${money(bought)} of ${money(PAID_FROM_MICROS)} bought`}
        hint="Credit bought so far"
        isGoal
      />
      <p>
        The Paid tier allows {count(PAID.requestsPerMinute)} requests per minute,{" "}
        {count(PAID.concurrentRequests)} concurrent requests, and {count(PAID.ttsCharactersPerMinute)}{" "}
        characters and {seconds(PAID.sttSecondsPerMinute)} of audio per minute.{" "}
        {useHasRole("owner") ? (
          <Link href={hrefOf(id, "billing")}>Buy credit</Link>
        ) : (
          "An owner can buy credit."
        )}
      </p>
    </>
  );
}

export function RaiseLimits() {
  if (!useSession().user.operator)
    return <p>Need more? The server's operator can raise each limit for this organization.</p>;
  return (
    <p>
      As an operator, you can raise each limit under <Link href="/operator/organizations">Organizations</Link>
      .
    </p>
  );
}
