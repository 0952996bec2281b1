/** What is missing before customers can sign up and pay, for the operator of a server that sells. Gone when nothing is. */
import { useRead } from "../api/queries.ts";
import { Badge, Card } from "../ui/page.tsx";

export function ReadyToSell() {
  const { data } = useRead("GET /api/operator/selling", {});
  if (!data?.is_selling || data.needs.every(({ is_met }) => is_met)) return null;
  const met = data.needs.filter(({ is_met }) => is_met).length;
  return (
    <Card title="Ready to sell" actions={<small>{`${met} of ${data.needs.length}`}</small>}>
      <ul className="needs">
        {data.needs.map(({ id, name, is_met, remedy }) => (
          <li key={id}>
            <Badge tone={is_met ? "good" : "warn"}>{is_met ? "done" : "missing"}</Badge>
            <span>
              <strong>{name}</strong>
              {!is_met && <small className="second-line">{remedy}</small>}
            </span>
          </li>
        ))}
      </ul>
      <p className="hint">
        Variables are read when the server starts. <code>loquat doctor</code> shows this list, too.
      </p>
    </Card>
  );
}
