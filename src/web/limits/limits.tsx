/** The current state of the organization's limits: rates, concurrency and monthly spending, with the alerts of what is spent. */
import { Link } from "wouter";
import { SpendAlerts } from "../alerts/spend-alerts.tsx";
import { useRead } from "../api/queries.ts";
import type { Reply } from "../api/server.ts";
import { useOrganization } from "../api/session.ts";
import { hrefOf } from "../browser/navigation.ts";
import { useNow } from "../browser/now.ts";
import { cents, money } from "../format/dollars.ts";
import { byteSize, count, seconds } from "../format/numbers.ts";
import { Meter } from "../ui/meter.tsx";
import { Card, Page } from "../ui/page.tsx";
import { QueryBoundary } from "../ui/query-boundary.tsx";
import { monthStart } from "../usage/date-range.ts";
import { LastDay } from "./last-day.tsx";
import { RaiseLimits, Tier } from "./tier.tsx";

const EVERY_MS = 1000;
const DAY = 86_400;

type LimitsState = Reply<"GET /api/organizations/:organization/limits">;

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
        {(state) => (
          <>
            <Card title="Right now" actions={<small>Updated every second</small>}>
              <div className="meters">
                <Rate name="Requests per minute" gauge={state.requests} format={count} />
                <Rate name="Concurrent requests" gauge={state.concurrency} format={count} />
                <Rate name="Characters synthesized per minute" gauge={state.characters} format={count} />
                <Rate name="Audio transcribed per minute" gauge={state.seconds} format={seconds} />
              </div>
              <p className="hint">
                Rates refill continuously. Requests over a limit are rejected with status 429 and a
                retry-after header.
              </p>
            </Card>
            <LastDay gauges={state} />
            {state.plan === "unmetered" ? (
              <Card title="Unmetered">
                <p>
                  These are the limits of this machine. No credit is needed, and there is no monthly limit.
                </p>
                <RaiseLimits />
              </Card>
            ) : (
              <div className="columns">
                <Month spending={state.spending} />
                <Tier tier={state.tier} />
              </div>
            )}
          </>
        )}
      </QueryBoundary>
      <InBackground />
      <SpendAlerts />
    </Page>
  );
}

const BACKGROUND_EVERY_MS = 5000;

/** Jobs, and what they and files have stored. */
function InBackground() {
  const { id } = useOrganization();
  const background = useRead(
    "GET /api/organizations/:organization/limits/background",
    { ids: { organization: id } },
    { everyMs: BACKGROUND_EVERY_MS },
  );
  return (
    <Card title="In the background" actions={<Link href={hrefOf(id, "jobs")}>Jobs</Link>}>
      <QueryBoundary of={background}>
        {({ waiting_jobs, running_jobs, stored_bytes, job_seconds_max }) => (
          <>
            <div className="meters">
              <Share name="Jobs that wait" of={waiting_jobs} format={count} />
              <Share name="Jobs that run" of={running_jobs} format={count} isGoal />
              <Share name="Stored files, recordings and speech" of={stored_bytes} format={byteSize} />
            </div>
            <p className="hint">
              The recording of a job may last {seconds(job_seconds_max)}. Jobs of batches are not counted
              among those that wait.
            </p>
          </>
        )}
      </QueryBoundary>
    </Card>
  );
}

type ShareProps = {
  name: string;
  of: { limit: number; used: number };
  format: (value: number) => string;
  isGoal?: boolean;
};

function Share({ name, of: { limit, used }, format, isGoal = false }: ShareProps) {
  return (
    <Meter
      name={name}
      part={limit === 0 ? 1 : used / limit}
      text={`${format(used)} of ${format(limit)}`}
      hint={used === 0 ? "None" : "In use"}
      isGoal={isGoal}
    />
  );
}

type RateProps = { name: string; gauge: LimitsState["requests"]; format: (value: number) => string };

function Rate({ name, gauge: { limit, remaining, reset_seconds }, format }: RateProps) {
  const used = Math.max(0, limit - Math.floor(remaining));
  const idle = used === 0 ? "Not in use" : "In use";
  return (
    <Meter
      name={name}
      part={limit === 0 ? 1 : used / limit}
      text={`${format(used)} of ${format(limit)} used`}
      hint={reset_seconds > 0 ? `Fully available in ${seconds(Math.ceil(reset_seconds))}` : idle}
    />
  );
}

function Month({ spending: { limit_micros, month_to_date_micros } }: { spending: LimitsState["spending"] }) {
  const { id, role } = useOrganization();
  const now = useNow(60_000);
  const days = Math.ceil((monthStart(now, 1) - now) / DAY);
  const left = `${days} ${days === 1 ? "day" : "days"} left this month (UTC)`;
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
