/** Access for signed-in users: with their test key of the chosen project. */

import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { useSearchParams } from "wouter";
import { useRead } from "../../api/queries.ts";
import { useOrganization, useSession } from "../../api/session.ts";
import { openTestClient, testKeyQuery } from "../../api/test-key.ts";
import { speakTexts } from "../../language/en/speak.ts";
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
  const { access, key } = useTestAccess({ user: user.id, project: project?.id });
  const error = projects.error ?? key.error;
  return {
    access,
    projects: {
      all: active,
      chosen: project?.id,
      message: error ? messageOf(error) : { text: key.data ? "" : speakTexts()("creatingKey") },
      onChoose: setProjectId,
    },
  };
}

/** `project`: undefined until it is known. */
export function useTestAccess({ user, project }: { user: string; project: string | undefined }) {
  const owner = useMemo(() => ({ user, project: project ?? "" }), [user, project]);
  const key = useQuery({ ...testKeyQuery(owner), enabled: project !== undefined });
  const client = useMemo(() => openTestClient(owner), [owner]);
  const access: Access = {
    client,
    apiKey: key.data?.secret ?? "",
    isReady: key.data !== undefined,
    owner: user,
  };
  return { access, key };
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
  const text = message.text || (project ? speakTexts()("usingProject", { project: project.name }) : "");
  return (
    <>
      <StatusLine id="key-status" message={{ ...message, text }} />
      {all.length > 1 && (
        <Choice
          name="project"
          label={speakTexts()("project")}
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
