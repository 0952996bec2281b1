/** What is missing before customers can sign up and pay, for the operator of a server that sells. Gone when nothing is. */
import { useRead } from "../api/queries.ts";
import { overviewTexts } from "../language/en/overview.ts";
import { Badge, Card } from "../ui/page.tsx";
import { code } from "../ui/rich.tsx";

export function ReadyToSell() {
  const { data } = useRead("GET /api/operator/selling", {});
  if (!data?.is_selling || data.needs.every(({ is_met }) => is_met)) return null;
  const t = overviewTexts();
  const met = data.needs.filter(({ is_met }) => is_met).length;
  return (
    <Card title={t("readyToSell")} actions={<small>{t("met", { met, all: data.needs.length })}</small>}>
      <ul className="needs">
        {data.needs.map(({ id, name, is_met, remedy }) => (
          <li key={id}>
            <Badge tone={is_met ? "good" : "warn"}>{t(is_met ? "isMet" : "missing")}</Badge>
            <span lang="en" dir="ltr">
              <strong>{name}</strong>
              {!is_met && <small className="second-line">{remedy}</small>}
            </span>
          </li>
        ))}
      </ul>
      <p className="hint">{t.rich("variables", { code })}</p>
    </Card>
  );
}
