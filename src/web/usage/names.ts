/** The names of projects and keys, including archived and revoked ones. */
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useAuth, useRead } from "../api/queries.ts";
import { call, type Reply } from "../api/server.ts";
import { useOrganization } from "../api/session.ts";
import { languageName } from "../format/language-name.ts";
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

type Member = { user: { id: string; name: string } };

/** What a group is called that stands for none. */
const NONE: Partial<Record<Dimension, string>> = {
  user: "No member",
  model: "No model",
  voice: "No voice",
  language: "Not known",
  format: "No format",
  label: "No label",
};

/** `by`: members are named only where they are grouped by. */
export function useNames(by: Dimension | null = null): Names {
  const { id } = useOrganization();
  const projects = useRead("GET /api/organizations/:organization/projects", { ids: { organization: id } });
  const keys = useQuery({ queryKey: ["all keys", id], queryFn: () => readAllKeys(id), staleTime: 10_000 });
  const members = useMembers(id, by === "user");
  return useMemo(() => {
    const lists = {
      project: (projects.data?.data ?? []).map(({ id, name, status }) => ({
        id,
        name: status === "archived" ? `${name} (archived)` : name,
      })),
      key: (keys.data ?? []).map((key) => ({ id: key.id, name: keyName(key) })),
      endpoint: [...ENDPOINTS, ...FORMER_ENDPOINTS],
      environment: ENVIRONMENTS,
      user: (members ?? []).map(({ user }) => ({ id: user.id, name: user.name })),
    };
    const byId = new Map(Object.entries(lists).flatMap(([, all]) => all.map(({ id, name }) => [id, name])));
    return {
      projects: lists.project,
      nameOf: (dimension, id) => {
        if (id === "" || (dimension === "model" && id === NO_MODEL)) return NONE[dimension] ?? id;
        if (dimension === "language") return languageName(id);
        return isText(dimension) ? id : (byId.get(id) ?? id);
      },
    };
  }, [projects.data, keys.data, members]);
}

/** What callers choose freely is never the id of something else. */
const isText = (dimension: Dimension) => dimension === "label" || dimension === "end_user";

/** Those that there are now; null where they are not asked for, or not known yet. */
function useMembers(organization: string, enabled: boolean): Member[] | null {
  const path = `organization/list-members?organizationId=${organization}`;
  return useAuth<{ members: Member[] }>(path, enabled).data?.members ?? null;
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
