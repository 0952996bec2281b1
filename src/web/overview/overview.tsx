/** The overview: the last 30 days or, before the first request, the first steps. */
import { useState } from "react";
import { Link } from "wouter";
import { useRead } from "../api/queries.ts";
import { useOrganization, useSession } from "../api/session.ts";
import { hrefOf } from "../browser/navigation.ts";
import { overviewTexts } from "../language/en/overview.ts";
import { PackageOffer } from "../operator/packages/package-offer.tsx";
import { ReadyToSell } from "../operator/ready-to-sell.tsx";
import { adviceFor } from "../requests/error-advice.ts";
import type { RequestRecord } from "../requests/request-pages.ts";
import { RequestTable } from "../requests/request-table.tsx";
import { Card, Notice, Page } from "../ui/page.tsx";
import { QueryBoundary } from "../ui/query-boundary.tsx";
import { bold } from "../ui/rich.tsx";
import { useNames } from "../usage/names.ts";
import { FirstCall, FirstSteps } from "./first-steps.tsx";
import { DailyChart, Tiles, useDays } from "./summary.tsx";
import { Top } from "./top.tsx";

const EVERY_MS = 1000;
const LATEST = 5;

export function Overview() {
  const { id } = useOrganization();
  const { operator } = useSession().user;
  const [wasEmpty, setWasEmpty] = useState(false);
  const requests = useRead(
    "GET /api/organizations/:organization/requests",
    { ids: { organization: id }, query: { limit: LATEST } },
    { everyMs: EVERY_MS },
  );
  return (
    <Page title={overviewTexts()("title")}>
      <QueryBoundary of={requests}>
        {({ data }) => {
          if (data.length === 0) return <FirstSteps onMount={() => setWasEmpty(true)} />;
          return (
            <>
              {wasEmpty && <FirstRequestNotice requests={data} />}
              <Activity latest={data} />
            </>
          );
        }}
      </QueryBoundary>
      {operator && <ReadyToSell />}
      {operator && <PackageOffer />}
    </Page>
  );
}

function Activity({ latest }: { latest: RequestRecord[] }) {
  const { id } = useOrganization();
  const t = overviewTexts();
  const names = useNames();
  const days = useDays();
  return (
    <>
      <Tiles days={days} />
      <div className="overview wide">
        <DailyChart days={days} />
        <Top title={t("topModels")} by="model" range={days.range} names={names} />
        <Top title={t("topKeys")} by="key" range={days.range} names={names} />
        <Card
          className="latest"
          title={t("latest")}
          actions={<Link href={hrefOf(id, "requests")}>{t("allRequests")}</Link>}
        >
          <RequestTable
            rows={latest}
            names={names}
            hrefOf={(request) => `${hrefOf(id, "requests")}?open=${request}`}
            empty=""
            brief
          />
        </Card>
        <Card className="call secondary" title={t("callApi")}>
          <FirstCall />
        </Card>
      </div>
    </>
  );
}

/** Congratulates on a successful request only; a refused one is shown with what to do about it. */
function FirstRequestNotice({ requests }: { requests: RequestRecord[] }) {
  const t = overviewTexts();
  const { id: organization } = useOrganization();
  const success = requests.findLast(({ status }) => status < 400);
  const request = success ?? requests[0]!;
  const details = (
    <Link href={`${hrefOf(organization, "requests")}?open=${request.id}`}>{t("viewDetails")}</Link>
  );
  if (success)
    return (
      <Notice tone="good">
        <p>
          {t.rich("arrived", { b: bold })} {details}
        </p>
      </Notice>
    );
  return (
    <Notice tone="warn">
      <p>
        {t.rich("refused", { status: String(request.status), code: request.error_code ?? "", b: bold })}{" "}
        <span lang="en">{adviceFor(request)}</span> {details}
      </p>
    </Notice>
  );
}
