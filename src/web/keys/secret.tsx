/** Shows the secret of a new key, once, with a command to try it. */

import { useRef, useState } from "react";
import type { Reply } from "../api/server.ts";
import { curlSnippet, speechCurl } from "../api/snippets.ts";
import { apiBase } from "../browser/addresses.ts";
import { Button, CopyButton } from "../ui/button.tsx";
import { Dialog } from "../ui/overlay/dialog.tsx";
import { Notice } from "../ui/page.tsx";

const REQUEST = { model: "svc-tts1", voice: "female-warm", input: "Hello from Loquat." };

type KeyWithSecret = Reply<"POST /api/keys/:key/rotate">;
type KeySecretProps = { title: string; of: KeyWithSecret; onClose: () => void };

/** The secret cannot be shown again, so the dialog stays open until it is copied or the user confirms. */
export function KeySecret({ title, of: key, onClose }: KeySecretProps) {
  const [isCopied, setCopied] = useState(false);
  const secret = useRef<HTMLElement>(null);
  const command = commandOf(key, apiBase());
  return (
    <Dialog title={title} onClose={onClose} isKept={!isCopied}>
      <div className="secret">
        <Notice tone="warn">
          <p>Copy the key now and store it safely. It is not shown again.</p>
        </Notice>
        <p className="copied">
          <code ref={secret}>{key.secret}</code>
          <CopyButton
            kind="primary"
            text={key.secret}
            label="Copy the key"
            from={secret}
            onCopied={() => setCopied(true)}
          />
        </p>
        <h3>Try it</h3>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolls with the keyboard */}
        <pre tabIndex={0}>
          <code>{command}</code>
        </pre>
        <div className="actions">
          <CopyButton text={command} label="Copy the command" />
          <Button onClick={onClose}>I have copied the key</Button>
        </div>
      </div>
    </Dialog>
  );
}

/** A call that the key's scopes allow. */
function commandOf({ secret, scopes }: Pick<KeyWithSecret, "secret" | "scopes">, base: string): string {
  if (!scopes.includes("speech:create")) return curlSnippet(`${base}/me`, [], secret);
  return speechCurl(base, REQUEST, secret);
}
