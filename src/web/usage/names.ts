/** The names of projects and keys, including archived and revoked ones. */
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useRead } from "../api/queries.ts";
import { call, type Reply } from "../api/server.ts";
import { useOrganization } from "../api/session.ts";
import type { Dimension } from "./aggregate.ts";
import { ENDPOINTS, FORMER_ENDPOINTS, type Named } from "./endpoint-names.ts";
import { type Key, keyName } from "./find-keys.ts";

/** `nameOf` returns the id itself if it is unknown. */
export type Names = {
  projects: Named[];
  nameOf: (dimension: Dimension, id: string) => string;
};

const ENVIRONMENTS: Named[] = [
  { id: "live", name: "Live" },
  { id: "test", name: "Test" },
];
/** The filter value for requests without a model. */
export const NO_MODEL = "none";

export function useNames(): Names {
  const { id } = useOrganization();
  const projects = useRead("GET /api/organizations/:organization/projects", { ids: { organization: id } });
  const keys = useQuery({ queryKey: ["all keys", id], queryFn: () => readAllKeys(id), staleTime: 10_000 });
  return useMemo(() => {
    const lists = {
      project: (projects.data?.data ?? []).map(({ id, name, status }) => ({
        id,
        name: status === "archived" ? `${name} (archived)` : name,
      })),
      key: (keys.data ?? []).map((key) => ({ id: key.id, name: keyName(key) })),
      endpoint: [...ENDPOINTS, ...FORMER_ENDPOINTS],
      environment: ENVIRONMENTS,
      model: [],
    };
    const byId = new Map(Object.entries(lists).flatMap(([, all]) => all.map(({ id, name }) => [id, name])));
    return {
      projects: lists.project,
      nameOf: (dimension, id) =>
        dimension === "model" && (id === "" || id === NO_MODEL) ? "No model" : (byId.get(id) ?? id),
    };
  }, [projects.data, keys.data]);
}

export { ENVIRONMENTS };

async function readAllKeys(organization: string): Promise<Key[]> {
  const keys: Key[] = [];
  let cursor: string | null = null;
  do {
    const page: Reply<"GET /api/organizations/:organization/keys"> = await call(
      "GET /api/organizations/:organization/keys",
      { ids: { organization }, query: { limit: 100, ...(cursor ? { cursor } : {}) } },
    );
    keys.push(...page.data);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return keys;
}
