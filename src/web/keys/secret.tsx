/** Makes a key, and shows its secret once, with a command to try it. */

import { type ReactNode, useState } from "react";
import type { Reply } from "../api/server.ts";
import { curlSnippet, speechCurl } from "../api/snippets.ts";
import { apiBase } from "../browser/addresses.ts";
import { Button, CopyButton } from "../ui/button.tsx";
import { Form } from "../ui/form/form.tsx";
import { Dialog } from "../ui/overlay/dialog.tsx";
import { SecretDialog } from "../ui/overlay/secret-dialog.tsx";

const REQUEST = { model: "svc-tts1", voice: "female-warm", input: "Hello from Loquat." };

type KeyWithSecret = Reply<"POST /api/keys/:key/rotate">;
type Shown = Pick<KeyWithSecret, "secret" | "scopes">;
/** `command`: a call with the key; of the audio API, unless it is given. */
type KeySecretProps = { title: string; of: Shown; command?: string; onClose: () => void };

function KeySecret({ title, of: key, onClose, ...given }: KeySecretProps) {
  const { command = commandOf(key, apiBase()) } = given;
  return (
    <SecretDialog
      {...{ title, secret: key.secret, what: "key", onClose }}
      warning="Copy the key now and store it safely. It is not shown again."
      actions={<CopyButton text={command} label="Copy the command" />}
    >
      <h3>Try it</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolls with the keyboard */}
      <pre tabIndex={0}>
        <code>{command}</code>
      </pre>
    </SecretDialog>
  );
}

type NewKeyDialogProps<Key> = {
  title: string;
  submit: string;
  make: (values: Record<string, string>, all: FormData) => Promise<Key>;
  /** The title above the secret. */
  ready: (key: Key) => string;
  command?: (key: Key) => string;
  onClose: () => void;
  children: ReactNode;
};

/** A form that makes a key, then its secret. */
export function NewKeyDialog<Key extends Shown>({ title, submit, make, ...props }: NewKeyDialogProps<Key>) {
  const { ready, command, onClose, children } = props;
  const [made, setMade] = useState<Key | null>(null);
  if (made) {
    const given = command ? { command: command(made) } : {};
    return <KeySecret title={ready(made)} of={made} {...given} onClose={onClose} />;
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <Form
        submit={submit}
        onSubmit={async (values, all) => setMade(await make(values, all))}
        actions={<Button onClick={onClose}>Cancel</Button>}
      >
        {children}
      </Form>
    </Dialog>
  );
}

/** A call that the key's scopes allow. */
function commandOf({ secret, scopes }: Shown, base: string): string {
  if (!scopes.includes("speech:create")) return curlSnippet(`${base}/me`, [], secret);
  return speechCurl(base, REQUEST, secret);
}
