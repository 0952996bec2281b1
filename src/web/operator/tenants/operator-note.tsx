/** What operators noted about an organization, and the dialog that changes it. Its members never read it. */
import { useState } from "react";
import { useWrite } from "../../api/queries.ts";
import type { Reply } from "../../api/server.ts";
import { Button } from "../../ui/button.tsx";
import { TextArea } from "../../ui/form/form.tsx";
import { FormDialog } from "../../ui/form/form-dialog.tsx";
import { Card } from "../../ui/page.tsx";

type Detail = Reply<"GET /api/operator/organizations/:tenant">;
type NoteProps = { tenant: Pick<Detail, "id" | "name" | "operator_note"> };

export function OperatorNote({ tenant }: NoteProps) {
  const [isEditing, setIsEditing] = useState(false);
  const { operator_note: note } = tenant;
  return (
    <Card
      title="Note"
      actions={<Button onClick={() => setIsEditing(true)}>{note === null ? "Add a note" : "Edit"}</Button>}
    >
      {note === null ? (
        <p className="hint">
          Contacts, agreements, what to look at next. Only operators of this server read it.
        </p>
      ) : (
        <p className="as-written" dir="auto">
          {note}
        </p>
      )}
      {isEditing && <NoteDialog tenant={tenant} onClose={() => setIsEditing(false)} />}
    </Card>
  );
}

/** Nothing written removes the note. */
function NoteDialog({ tenant: { id, name, operator_note }, onClose }: NoteProps & { onClose: () => void }) {
  const { mutateAsync: change } = useWrite("PUT /api/operator/organizations/:tenant/note");
  return (
    <FormDialog
      title={`Note about ${name}`}
      submit="Save note"
      onSubmit={({ note = "" }) => change({ ids: { tenant: id }, body: { note: note.trim() || null } })}
      onClose={onClose}
    >
      <TextArea
        name="note"
        label="Note"
        hint="At most 5,000 characters. Members of the organization never read it."
        rows={8}
        maxLength={5000}
        defaultValue={operator_note ?? ""}
      />
    </FormDialog>
  );
}
