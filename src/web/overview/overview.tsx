/** The overview: usage today and this month or, before the first request, the first steps. */
import { useState } from "react";
import { Link } from "wouter";
import { hrefOf } from "../lib/navigation.ts";
import { useRead } from "../lib/queries.ts";
import { useOrganization, useSession } from "../lib/session.ts";
import { PackageOffer } from "../operator/package-offer.tsx";
import { Card, Notice, Page } from "../ui/page.tsx";
import { QueryBoundary } from "../ui/query-boundary.tsx";
import "../style/usage.css";
import { RequestTable } from "../requests/request-table.tsx";
import { useNames } from "../usage/names.ts";
import { FirstSteps } from "./first-steps.tsx";
import { Summary } from "./summary.tsx";

const EVERY_MS = 1000;
const LATEST = 5;

export function Overview() {
  const { id } = useOrganization();
  const { operator } = useSession().user;
  const names = useNames();
  const [wasEmpty, setWasEmpty] = useState(false);
  const requests = useRead(
    "GET /api/organizations/:organization/requests",
    { ids: { organization: id }, query: { limit: LATEST } },
    { everyMs: EVERY_MS },
  );
  return (
    <Page title="Overview">
      {operator && <PackageOffer />}
      <QueryBoundary of={requests}>
        {({ data }) => {
          if (data.length === 0) return <FirstSteps onMount={() => setWasEmpty(true)} />;
          return (
            <>
              {wasEmpty && <FirstRequestNotice id={data.at(-1)!.id} />}
              <Summary />
              <Card title="Latest requests" actions={<Link href={hrefOf(id, "requests")}>All requests</Link>}>
                <RequestTable
                  rows={data}
                  names={names}
                  hrefOf={(request) => `${hrefOf(id, "requests")}?open=${request}`}
                  empty=""
                  brief
                />
              </Card>
            </>
          );
        }}
      </QueryBoundary>
    </Page>
  );
}

function FirstRequestNotice({ id }: { id: string }) {
  const { id: organization } = useOrganization();
  return (
    <Notice tone="good">
      <p>
        <strong>Your first request arrived.</strong>{" "}
        <Link href={`${hrefOf(organization, "requests")}?open=${id}`}>View its details</Link>
      </p>
    </Notice>
  );
}
