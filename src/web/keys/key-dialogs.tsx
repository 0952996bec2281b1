/** Dialogs that edit, rotate or revoke a key. */
import { useWrite } from "../api/queries.ts";
import { useHasRole } from "../api/session.ts";
import { CapFields, restrictionsIn } from "../caps/cap-fields.tsx";
import { Choice, Field } from "../ui/form/form.tsx";
import { FormDialog } from "../ui/form/form-dialog.tsx";
import { expiryOf, KeyFields, scopesOf } from "./fields.tsx";
import type { Key, KeyChange } from "./key.ts";
import { NewKeyDialog } from "./secret.tsx";

type ChangeProps = { of: Key; onClose: () => void };

export function KeyDialog({ change: { kind, key }, onClose }: { change: KeyChange; onClose: () => void }) {
  if (kind === "edit") return <Edit of={key} onClose={onClose} />;
  if (kind === "rotate") return <Rotate of={key} onClose={onClose} />;
  return <Revoke of={key} onClose={onClose} />;
}

function Edit({ of: key, onClose }: ChangeProps) {
  const isAdmin = useHasRole("admin");
  const { mutateAsync: change } = useWrite("PATCH /api/keys/:key");
  async function submit(values: Record<string, string>, all: FormData) {
    const expires_at = expiryOf(values);
    const body = {
      ...{ name: values.name ?? key.name, scopes: scopesOf(all) },
      ...(isAdmin && { restrictions: restrictionsIn(values) }),
      ...(values.reset_budget && { reset_budget: true }),
    };
    await change({
      ids: { key: key.id },
      body: expires_at === undefined ? body : { ...body, expires_at },
    });
  }
  return (
    <FormDialog title={`Edit ${key.name}`} onClose={onClose} onSubmit={submit} submit="Save">
      <Field name="name" label="Name" defaultValue={key.name} maxLength={100} autoComplete="off" required />
      <KeyFields of={key} />
      {isAdmin && <CapFields of={key.restrictions} hasAddresses isNew={false} />}
    </FormDialog>
  );
}

const GRACE_PERIODS = [
  { seconds: 0, name: "Immediately" },
  { seconds: 3600, name: "In 1 hour" },
  { seconds: 86_400, name: "In 24 hours" },
  { seconds: 604_800, name: "In 7 days" },
  { seconds: 2_592_000, name: "In 30 days" },
];

function Rotate({ of: key, onClose }: ChangeProps) {
  const { mutateAsync: rotate } = useWrite("POST /api/keys/:key/rotate");
  return (
    <NewKeyDialog
      title={`Rotate ${key.name}`}
      submit="Create new key"
      make={({ grace }) => rotate({ ids: { key: key.id }, body: { grace_seconds: Number(grace) } })}
      ready={({ name }) => `The new key ${name} is ready`}
      onClose={onClose}
    >
      <p>
        A new key with the same name and scopes replaces{" "}
        <code>
          {key.prefix}…{key.last4}
        </code>
        .
      </p>
      <Choice
        name="grace"
        label="The old key stops working"
        defaultValue={3600}
        hint="Both keys work until then, so that clients can be switched without interruption."
      >
        {GRACE_PERIODS.map(({ seconds, name }) => (
          <option key={seconds} value={seconds}>
            {name}
          </option>
        ))}
      </Choice>
    </NewKeyDialog>
  );
}

function Revoke({ of: key, onClose }: ChangeProps) {
  const { mutateAsync: revoke } = useWrite("POST /api/keys/:key/revoke");
  return (
    <FormDialog
      kind="danger"
      title={`Revoke ${key.name}?`}
      submit="Revoke key"
      onSubmit={() => revoke({ ids: { key: key.id } })}
      onClose={onClose}
    >
      <p>
        Requests with{" "}
        <code>
          {key.prefix}…{key.last4}
        </code>{" "}
        are rejected immediately, and its open sessions end within a minute. This cannot be undone.
      </p>
    </FormDialog>
  );
}
