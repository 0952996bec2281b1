/** Spend alerts as the management API returns them, and how pages name what they watch and when they go off. */
import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { useRead } from "../api/queries.ts";
import { call, type Reply, type ServerError } from "../api/server.ts";
import { useOrganization } from "../api/session.ts";
import { money } from "../format/dollars.ts";
import { keyName } from "../usage/find-keys.ts";

const LIST = "GET /api/organizations/:organization/spend-alerts";

export type Alert = Reply<typeof LIST>["data"][number];
export type Project = Reply<"GET /api/projects/:project">;
export type AlertChange = { kind: "edit" | "delete"; alert: Alert };

const CENT_MICROS = 10_000;

/** All of the organization, the oldest first. */
export function useAlerts(): UseQueryResult<Alert[], ServerError> {
  const { id } = useOrganization();
  return useQuery<Alert[], ServerError>({ queryKey: [LIST, id], queryFn: () => readAll(id) });
}

async function readAll(organization: string): Promise<Alert[]> {
  const alerts: Alert[] = [];
  let cursor: string | null = null;
  do {
    const page: Reply<typeof LIST> = await call(LIST, {
      ids: { organization },
      query: { limit: 100, ...(cursor ? { cursor } : {}) },
    });
    alerts.push(...page.data);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return alerts;
}

/** The name of the project or key; the id until it is known. */
export function useWatchedName({ scope, project_id, api_key_id }: Alert, projects: Project[]): string {
  const key = useRead(
    "GET /api/keys/:key",
    { ids: { key: api_key_id ?? "" } },
    { enabled: api_key_id !== null },
  );
  if (scope === "organization") return "The organization";
  if (scope === "key") return key.data ? keyName(key.data) : (api_key_id ?? "");
  return projects.find(({ id }) => id === project_id)?.name ?? project_id ?? "";
}

export const microsOfThreshold = ({ threshold_amount: cents }: Alert): number | null =>
  cents === null ? null : Math.round(cents * CENT_MICROS);

/** At what it goes off, in a few words. */
export function thresholdText(alert: Alert): string {
  const micros = microsOfThreshold(alert);
  const { threshold_percent: percent, scope } = alert;
  if (percent === null) return `${money(micros ?? 0)} in a month`;
  const share = `${percent}% of the ${scope === "organization" ? "spending limit" : "budget"}`;
  return micros === null ? share : `${share}, ${money(micros)}`;
}

/** Why it cannot go off now; null: it can. */
export function missingOf(alert: Alert): string | null {
  if (alert.threshold_amount !== null) return null;
  return alert.scope === "organization" ? "no spending limit" : "no budget";
}
