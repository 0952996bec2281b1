/** A key that is made with a press of a button, in the first project of an organization. */
import { useRead, useWrite } from "./queries.ts";
import type { Input, Reply } from "./server.ts";

const ROUTE = "POST /api/projects/:project/keys";
type NewKey = Omit<Input<typeof ROUTE>["body"], "environment">;

export function useNewKey(organization: string, onCreated: (key: Reply<typeof ROUTE>) => void) {
  const projects = useRead("GET /api/organizations/:organization/projects", { ids: { organization } });
  const create = useWrite(ROUTE);
  const project = projects.data?.data.find(({ status }) => status === "active")?.id;
  return {
    isReady: project !== undefined,
    isBusy: create.isPending,
    error: projects.error ?? create.error,
    make(key: NewKey) {
      const body = { ...key, environment: "live" as const };
      create.mutate({ ids: { project: project! }, body }, { onSuccess: onCreated });
    },
  };
}
