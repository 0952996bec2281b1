/** Creates an alias or edits one of the list. */
import { SPEECH_FORMATS } from "../../audio/formats.ts";
import { useWrite } from "../api/queries.ts";
import type { Reply } from "../api/server.ts";
import { Choice, Field } from "../ui/form/form.tsx";
import { FormDialog } from "../ui/form/form-dialog.tsx";
import type { Alias } from "./alias.ts";

type Choices = Reply<"GET /api/operator/aliases">["choices"];

type AliasDialogProps = {
  /** Null for a new one. */
  alias: Alias | null;
  kind: Alias["kind"];
  choices: Choices;
  onClose: () => void;
};

export function AliasDialog({ alias, kind, choices, onClose }: AliasDialogProps) {
  const save = useWrite("PUT /api/operator/aliases");
  const isVoice = kind === "voice";
  async function submit({
    name = alias?.name ?? "",
    first = "",
    second = "",
    format = "",
  }: Record<string, string>) {
    const targets = [first, second].filter((target) => target !== "");
    await save.mutateAsync({ body: { kind, name, targets, response_format: format || null } });
  }
  return (
    <FormDialog
      title={alias ? titleOf(alias) : `Add a ${kind} alias`}
      onClose={onClose}
      submit="Save"
      onSubmit={submit}
    >
      {alias === null && (
        <Field name="name" label="Alias" hint="As the application sends it." maxLength={256} required />
      )}
      <Targets chosen={alias?.targets ?? []} options={isVoice ? choices.voices : choices.models} />
      {!isVoice && (
        <Choice
          name="format"
          label="Format"
          hint="Of speech, where a request names none."
          defaultValue={alias?.response_format ?? ""}
        >
          <option value="">The server's default</option>
          {SPEECH_FORMATS.map((format) => (
            <option key={format}>{format}</option>
          ))}
        </Choice>
      )}
    </FormDialog>
  );
}

const titleOf = ({ name }: Alias): string =>
  name === "" ? "Edit what serves requests without a model" : `Edit ${name}`;

type TargetsProps = { chosen: string[]; options: Choices["models"] };

function Targets({ chosen: [first = "", second = ""], options }: TargetsProps) {
  const all = options.map(({ id, name }) => (
    <option key={id} value={id}>
      {id}, {name}
    </option>
  ));
  return (
    <>
      <Choice name="first" label="Stands for" defaultValue={first} required>
        <option value="">Choose one</option>
        {all}
      </Choice>
      <Choice
        name="second"
        label="Otherwise"
        hint="Used where the first cannot do what is asked."
        defaultValue={second}
      >
        <option value="">None</option>
        {all}
      </Choice>
    </>
  );
}
