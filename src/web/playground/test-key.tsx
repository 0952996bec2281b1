/** A test key for signed-in users: created for the chosen project, valid for 12 hours and kept in memory only. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useSearchParams } from "wouter";
import { hrefOf } from "../lib/navigation.ts";
import { useRead } from "../lib/queries.ts";
import { call, keepCsrfToken } from "../lib/server.ts";
import type { Session } from "../lib/session.ts";
import { Choice } from "../ui/form/form.tsx";
import { type Message, messageOf, StatusLine } from "../ui/status-line.tsx";

export function useTestKey({ user, organizations, csrf_token }: Session) {
  keepCsrfToken(csrf_token);
  const requested = useSearchParams()[0].get("organization");
  const initial = organizations.find(({ id }) => id === requested) ?? organizations[0]!;
  const [organization, setOrganization] = useState(initial.id);
  const [projectId, setProjectId] = useState<string | null>(null);
  const projects = useRead("GET /api/organizations/:organization/projects", { ids: { organization } });
  const active = projects.data?.data.filter(({ status }) => status === "active") ?? [];
  const project = active.find(({ id }) => id === projectId) ?? active[0];
  const key = useKeyOf(project?.id);
  const error = projects.error ?? key.error;
  const message: Message = key.data
    ? { text: `Signed in as ${user.email}, using a test key of project ${project?.name}.` }
    : { text: "Creating a test key …" };
  const controls = (
    <>
      <section className="controls" aria-label="Billed project">
        <Choice
          name="organization"
          label="Organization"
          value={organization}
          onChange={(event) => setOrganization(event.target.value)}
        >
          {organizations.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </Choice>
        <Choice
          name="project"
          label="Project"
          value={project?.id}
          onChange={(event) => setProjectId(event.target.value)}
        >
          {active.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </Choice>
        {/* a full page load: only this page may open WebSockets */}
        <a className="button plain" href={hrefOf(organization, "overview")}>
          Dashboard
        </a>
      </section>
      <StatusLine id="key-status" message={error ? messageOf(error) : message} />
    </>
  );
  return { controls, apiKey: key.data?.secret ?? "", isReady: key.data !== undefined };
}

/** Creates one key each time a project is chosen, in place of the user's last one for it. */
function useKeyOf(project: string | undefined) {
  return useQuery({
    queryKey: ["playground", "key", project],
    queryFn: () => call("POST /api/projects/:project/playground-key", { ids: { project: project! } }),
    enabled: project !== undefined,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
}
