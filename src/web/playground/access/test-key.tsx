/** A test key for signed-in users: created for the chosen project, valid for 12 hours and kept in memory only. */
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { useSearchParams } from "wouter";
import { openClient } from "../../lib/public-api.ts";
import { useRead } from "../../lib/queries.ts";
import { call } from "../../lib/server.ts";
import { useOrganization, useSession } from "../../lib/session.ts";
import { Choice } from "../../ui/form/form.tsx";
import { type Message, messageOf, StatusLine } from "../../ui/status-line.tsx";
import type { Access } from "./catalogue.ts";

export function useTestKey(): { access: Access; projects: ProjectChoiceProps } {
  const { user } = useSession();
  const organization = useOrganization().id;
  const requested = useSearchParams()[0].get("project");
  const [projectId, setProjectId] = useState(requested);
  const projects = useRead("GET /api/organizations/:organization/projects", { ids: { organization } });
  const active = projects.data?.data.filter(({ status }) => status === "active") ?? [];
  const project = active.find(({ id }) => id === projectId) ?? active[0];
  const key = useKeyOf(project?.id);
  const apiKey = key.data?.secret ?? "";
  const client = useMemo(() => openClient(apiKey), [apiKey]);
  const error = projects.error ?? key.error;
  return {
    access: { client, apiKey, isReady: key.data !== undefined, owner: user.id },
    projects: {
      all: active,
      chosen: project?.id,
      message: error ? messageOf(error) : { text: key.data ? "" : "Creating a test key …" },
      onChoose: setProjectId,
    },
  };
}

type ProjectChoiceProps = {
  all: { id: string; name: string }[];
  chosen: string | undefined;
  message: Message;
  onChoose: (id: string) => void;
};

/** Whose test key is in use: the choice of a project where there are several. */
export function ProjectChoice({ all, chosen, message, onChoose }: ProjectChoiceProps) {
  const project = all.find(({ id }) => id === chosen);
  const text = message.text || (project ? `Using a test key of project ${project.name}.` : "");
  return (
    <>
      <StatusLine id="key-status" message={{ ...message, text }} />
      {all.length > 1 && (
        <Choice
          name="project"
          label="Project"
          value={chosen}
          onChange={(event) => onChoose(event.target.value)}
        >
          {all.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </Choice>
      )}
    </>
  );
}

/** Creates one key each time a project is chosen, in place of the user's last one for it. */
export function useKeyOf(project: string | undefined) {
  return useQuery({
    queryKey: ["playground", "key", project],
    queryFn: () => call("POST /api/projects/:project/playground-key", { ids: { project: project! } }),
    enabled: project !== undefined,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
}
