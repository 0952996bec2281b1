/** Limits as they stand now: what a minute has left, what runs, what the month has cost. */
import { useId } from "react";
import { Link } from "wouter";
import { cents, count, money, seconds } from "../lib/format.ts";
import { hrefOf } from "../lib/navigation.ts";
import { useNow } from "../lib/now.ts";
import { useRead } from "../lib/queries.ts";
import type { Reply } from "../lib/server.ts";
import { useHasRole, useOrganization, useSession } from "../lib/session.ts";
import { Badge, Card, Page } from "../ui/page.tsx";
import { QueryBoundary } from "../ui/query-boundary.tsx";
import "../style/usage.css";
import { monthStart } from "../usage/date-range.ts";

const EVERY_MS = 1000;
const PAID_FROM_MICROS = 5_000_000;
const DAY = 86_400;
/** From this part of a limit on it is said to be close. */
const CLOSE = 0.8;

type Stand = Reply<"GET /api/organizations/:organization/limits">;
type GaugeRecord = Stand["requests"];

export function Limits() {
  const { id } = useOrganization();
  const limits = useRead(
    "GET /api/organizations/:organization/limits",
    { ids: { organization: id } },
    { everyMs: EVERY_MS },
  );
  return (
    <Page title="Limits">
      <QueryBoundary of={limits}>
        {(stand) => (
          <>
            <Card title="Right now" actions={<small>Read every second.</small>}>
              <div className="meters">
                <Bucket name="Requests a minute" gauge={stand.requests} format={count} />
                <Bucket name="Requests at once" gauge={stand.concurrency} format={count} />
                <Bucket name="Characters to speak a minute" gauge={stand.characters} format={count} />
                <Bucket name="Audio to transcribe a minute" gauge={stand.seconds} format={seconds} />
              </div>
              <p className="hint">
                A minute's worth refills evenly. What is over a limit is answered 429, with the header
                retry-after.
              </p>
            </Card>
            <div className="columns">
              <Month spending={stand.spending} />
              <Tier tier={stand.tier} />
            </div>
          </>
        )}
      </QueryBoundary>
    </Page>
  );
}

type BucketProps = { name: string; gauge: GaugeRecord; format: (value: number) => string };

function Bucket({ name, gauge: { limit, remaining, reset_seconds }, format }: BucketProps) {
  const used = Math.max(0, limit - Math.floor(remaining));
  const full = reset_seconds > 0 ? `full again in ${seconds(Math.ceil(reset_seconds))}` : "";
  return (
    <Meter
      name={name}
      part={limit === 0 ? 1 : used / limit}
      text={`${format(used)} of ${format(limit)} used`}
      hint={full || (used === 0 ? "all of it left" : "in flight")}
    />
  );
}

type MeterProps = {
  name: string;
  part: number;
  text: string;
  hint: string;
  /** To be reached, not to be kept away from. */
  goal?: boolean;
};

/** Its text says all that its length shows. */
function Meter({ name, part, text, hint, goal = false }: MeterProps) {
  const id = useId();
  const tone = goal ? null : part >= 1 ? "bad" : part >= CLOSE ? "warn" : null;
  return (
    <div className="meter">
      <h3 id={id}>{name}</h3>
      <meter aria-labelledby={id} aria-valuetext={`${text}, ${hint}`} value={part} />
      <div className={`level ${tone ?? ""}`} aria-hidden>
        <i style={{ width: `${Math.min(1, part) * 100}%` }} />
      </div>
      <p>
        {text} {tone && <Badge tone={tone}>{tone === "bad" ? "at the limit" : "close to it"}</Badge>}
      </p>
      <small>{hint}</small>
    </div>
  );
}

function Month({ spending: { limit_micros, month_to_date_micros } }: { spending: Stand["spending"] }) {
  const { id, role } = useOrganization();
  const now = useNow(60_000);
  const days = Math.ceil((monthStart(now, 1) - now) / DAY);
  const left = `${days} ${days === 1 ? "day" : "days"} of this month (UTC) left`;
  const spent = cents(month_to_date_micros);
  return (
    <Card title="This month">
      {limit_micros === null ? (
        <p>
          {spent} spent, no limit. {left}.
        </p>
      ) : (
        <Meter
          name="Monthly spending limit"
          part={limit_micros === 0 ? 1 : month_to_date_micros / limit_micros}
          text={`${spent} of ${money(limit_micros)} spent`}
          hint={left}
        />
      )}
      <p>
        {role === "owner" ? (
          <Link href={hrefOf(id, "billing")}>Change the spending limit</Link>
        ) : (
          "An owner can change the spending limit."
        )}
      </p>
    </Card>
  );
}

function Tier({ tier }: { tier: Stand["tier"] }) {
  const { id } = useOrganization();
  const owner = useHasRole("owner");
  const { operator } = useSession().user;
  const organization = useRead("GET /api/organizations/:organization", { ids: { organization: id } });
  const bought = organization.data?.lifetime_purchased_micros ?? 0;
  return (
    <Card
      title="Tier"
      actions={<Badge tone={tier === "paid" ? "good" : "plain"}>{tier === "paid" ? "Paid" : "Free"}</Badge>}
    >
      {tier === "paid" ? (
        <p>This organization has bought {money(bought)} of credit: it has the limits of the Paid tier.</p>
      ) : (
        <>
          <Meter
            name="To the Paid tier"
            part={bought / PAID_FROM_MICROS}
            text={`${money(bought)} of ${money(PAID_FROM_MICROS)} bought`}
            hint="all the credit that was ever bought"
            goal
          />
          <p>
            The Paid tier has 120 requests a minute, 10 at once, 200,000 characters and 4 hours of audio a
            minute.{" "}
            {owner ? <Link href={hrefOf(id, "billing")}>Buy credit</Link> : "An owner can buy credit."}
          </p>
        </>
      )}
      <p>
        {operator ? (
          <>
            You run this server: raise single limits under{" "}
            <Link href="/operator/organizations">Organizations</Link>.
          </>
        ) : (
          "Need more? Whoever runs this server can raise each limit for this organization."
        )}
      </p>
    </Card>
  );
}
