/** Adding, changing and deleting a spend alert. */
import { useState } from "react";
import { useWrite } from "../api/queries.ts";
import { useOrganization } from "../api/session.ts";
import { Choice } from "../ui/form/form.tsx";
import { FormDialog } from "../ui/form/form-dialog.tsx";
import { KeyChoice } from "../usage/key-choice.tsx";
import { type Alert, type AlertChange, type Project, thresholdText, useWatchedName } from "./alert.ts";
import { ChannelFields, channelIn, ThresholdFields, thresholdIn } from "./alert-fields.tsx";

type Closable = { projects: Project[]; onClose: () => void };

const [ORGANIZATION, A_KEY] = ["organization", "key"];

export function NewAlertDialog({ projects, onClose }: Closable) {
  const { id: organization } = useOrganization();
  const { mutateAsync: create } = useWrite("POST /api/organizations/:organization/spend-alerts");
  const [watched, setWatched] = useState(ORGANIZATION);
  const [key, setKey] = useState({ id: "", name: "" });
  const scope = watched === ORGANIZATION ? "organization" : watched === A_KEY ? "key" : "project";
  async function submit(values: Record<string, string>, all: FormData) {
    if (scope === "key" && key.id === "") throw new Error("Choose the API key.");
    const of = { organization: {}, project: { project_id: watched }, key: { api_key_id: key.id } }[scope];
    const body = { ...thresholdIn(values), notification_channel: channelIn(values, all), ...of };
    await create({ ids: { organization }, body });
  }
  return (
    <FormDialog title="Add a spend alert" submit="Add alert" onSubmit={submit} onClose={onClose}>
      <Choice
        name="watched"
        label="Watches what was spent by"
        value={watched}
        onChange={(event) => setWatched(event.target.value)}
      >
        <option value={ORGANIZATION}>The whole organization</option>
        {projects
          .filter(({ status }) => status === "active")
          .map(({ id, name }) => (
            <option key={id} value={id}>
              Project {name}
            </option>
          ))}
        <option value={A_KEY}>An API key</option>
      </Choice>
      {scope === "key" && (
        <KeyChoice
          unset="None"
          value={key.id}
          nameOf={() => key.name}
          onChoose={(id, name) => setKey({ id, name })}
        />
      )}
      <ThresholdFields key={scope} scope={scope} of={null} />
      <ChannelFields of={null} />
    </FormDialog>
  );
}

type OfAlert = Closable & { of: Alert };

export function AlertDialog({ change: { kind, alert }, ...given }: Closable & { change: AlertChange }) {
  return kind === "edit" ? <Edit of={alert} {...given} /> : <Delete of={alert} {...given} />;
}

function Edit({ of: alert, projects, onClose }: OfAlert) {
  const { id: organization } = useOrganization();
  const { mutateAsync: change } = useWrite("PATCH /api/organizations/:organization/spend-alerts/:spendAlert");
  const ids = { organization, spendAlert: alert.id };
  return (
    <FormDialog
      title={`Edit the alert of ${useWatchedName(alert, projects)}`}
      submit="Save"
      onSubmit={(values, all) =>
        change({ ids, body: { ...thresholdIn(values), notification_channel: channelIn(values, all) } })
      }
      onClose={onClose}
    >
      <ThresholdFields scope={alert.scope} of={alert} />
      <ChannelFields of={alert} />
      <p className="hint">At another amount it may go off again in the same period.</p>
    </FormDialog>
  );
}

function Delete({ of: alert, projects, onClose }: OfAlert) {
  const { id: organization } = useOrganization();
  const { mutateAsync: remove } = useWrite(
    "DELETE /api/organizations/:organization/spend-alerts/:spendAlert",
  );
  return (
    <FormDialog
      kind="danger"
      title="Delete this spend alert?"
      submit="Delete alert"
      onSubmit={() => remove({ ids: { organization, spendAlert: alert.id } })}
      onClose={onClose}
    >
      <p>
        {useWatchedName(alert, projects)}, {thresholdText(alert)}: it is told no more. This cannot be undone.
      </p>
    </FormDialog>
  );
}
