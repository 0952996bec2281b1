/** What the filtered key or project may use at most, beside what it used: a key counts toward its project's budget, too. */
import { Link } from "wouter";
import { useRead } from "../api/queries.ts";
import { type Reply, searchOf } from "../api/server.ts";
import { useOrganization } from "../api/session.ts";
import { hrefOf } from "../browser/navigation.ts";
import { budgetText, useBeginsAgain } from "../caps/budget-use.tsx";
import { otherCaps } from "../caps/cap-fields.tsx";
import { Meter } from "../ui/meter.tsx";
import { Card } from "../ui/page.tsx";
import { keyName } from "./find-keys.ts";

const EVERY_MS = 10_000;

type Capped = Pick<Reply<"GET /api/keys/:key">, "restrictions" | "budget_period">;
type FilteredCapsProps = { keyId: string | undefined; projectId: string | undefined };

/** Nothing where neither is filtered, or nothing restricts it. */
export function FilteredCaps({ keyId, projectId }: FilteredCapsProps) {
  const { id } = useOrganization();
  const options = { everyMs: EVERY_MS };
  const key = useRead(
    "GET /api/keys/:key",
    { ids: { key: keyId ?? "" } },
    { ...options, enabled: keyId !== undefined },
  ).data;
  const projectOf = keyId === undefined ? projectId : key?.project_id;
  const project = useRead(
    "GET /api/projects/:project",
    { ids: { project: projectOf ?? "" } },
    { ...options, enabled: projectOf !== undefined },
  ).data;
  const isOfKey = keyId !== undefined && key?.restrictions;
  if (!isOfKey && !project?.restrictions) return null;
  return (
    <Card
      title="Caps"
      actions={
        <>
          {isOfKey && <Link href={hrefOf(id, "keys") + searchOf({ search: keyId })}>API keys</Link>}
          {project?.restrictions && <Link href={hrefOf(id, "projects")}>Projects</Link>}
        </>
      }
    >
      <div className="meters">
        {isOfKey && <Cap name={`Key ${keyName(key)}`} of={key} />}
        {project?.restrictions && <Cap name={`Project ${project.name}`} of={project} />}
      </div>
    </Card>
  );
}

function Cap({ name, of: { restrictions, budget_period: period } }: { name: string; of: Capped }) {
  const begins = useBeginsAgain(period?.begins_again_at ?? null);
  const budget = restrictions?.budget;
  const others = otherCaps(restrictions);
  const restricted = others && `Also restricted: ${others}.`;
  if (!budget || !period)
    return (
      <div className="meter">
        <h3>{name}</h3>
        <p>No budget. Restricted: {others}.</p>
      </div>
    );
  return (
    <Meter
      name={name}
      part={budget.limit_micros === 0 ? 1 : period.used_micros / budget.limit_micros}
      text={`${budgetText(budget, period)} used`}
      hint={[`At list price, ${begins}.`, restricted].filter(Boolean).join(" ")}
    />
  );
}
