/** What customers need before they can sign up and pay, for the operator of a server that sells, and a test of each. */
import { useRead, useWrite } from "../api/queries.ts";
import type { Reply } from "../api/server.ts";
import { overviewTexts } from "../language/en/overview.ts";
import { Button } from "../ui/button.tsx";
import { Badge, Card } from "../ui/page.tsx";
import { Failure } from "../ui/query-boundary.tsx";
import { code } from "../ui/rich.tsx";

type Need = Reply<"GET /api/operator/selling">["needs"][number];

const TESTED = ["mail", "payments", "address"] as const;
const isTested = (id: Need["id"]): id is (typeof TESTED)[number] => TESTED.includes(id as "mail");

/** `always`: also where nothing is missing. */
export function ReadyToSell({ always = false }: { always?: boolean }) {
  const { data } = useRead("GET /api/operator/selling", {});
  if (!data?.is_selling || (!always && data.needs.every(({ is_met }) => is_met))) return null;
  const t = overviewTexts();
  const met = data.needs.filter(({ is_met }) => is_met).length;
  return (
    <Card title={t("readyToSell")} actions={<small>{t("met", { met, all: data.needs.length })}</small>}>
      <ul className="needs">
        {data.needs.map((need) => (
          <NeedItem key={need.id} need={need} />
        ))}
      </ul>
      <p className="hint">{t.rich("variables", { code })}</p>
    </Card>
  );
}

function NeedItem({ need: { id, name, is_met, remedy } }: { need: Need }) {
  const t = overviewTexts();
  const test = useWrite("POST /api/operator/selling/test");
  return (
    <li>
      <Badge tone={is_met ? "good" : "warn"}>{t(is_met ? "isMet" : "missing")}</Badge>
      <div>
        <span lang="en" dir="ltr">
          <strong>{name}</strong>
          {!is_met && <small className="second-line">{remedy}</small>}
        </span>
        <div role="status">{test.data && <Tested of={test.data} />}</div>
        {test.error && <Failure error={test.error} />}
      </div>
      {is_met && isTested(id) && (
        <Button
          busy={test.isPending}
          aria-label={t("testNeed", { name })}
          onClick={() => test.mutate({ body: { need: id } })}
        >
          {t("test")}
        </Button>
      )}
    </li>
  );
}

function Tested({ of: { is_met, message, url } }: { of: Reply<"POST /api/operator/selling/test"> }) {
  const t = overviewTexts();
  return (
    <p className="tested">
      <Badge tone={is_met ? "good" : "bad"}>{t(is_met ? "works" : "failed")}</Badge>{" "}
      <span lang="en" dir="ltr">
        {message}
      </span>{" "}
      {url !== null && (
        <a href={url} target="_blank" rel="noreferrer">
          {t("openCheckout")}
        </a>
      )}
    </p>
  );
}
