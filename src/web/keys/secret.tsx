/** Shows the secret of a new key, once, with a command to try it. */
import type { Reply } from "../lib/server.ts";
import { curlSnippet, speechCurl } from "../lib/snippets.ts";
import { Button, CopyButton } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Notice } from "../ui/page.tsx";

const REQUEST = { model: "svc-tts1", voice: "female-warm", input: "Hello from Loquat." };

type KeyWithSecret = Reply<"POST /api/keys/:key/rotate">;
type KeySecretProps = { title: string; of: KeyWithSecret; onClose: () => void };

export function KeySecret({ title, of: key, onClose }: KeySecretProps) {
  const command = commandOf(key, `${location.origin}/v1`);
  return (
    <Dialog title={title} onClose={onClose}>
      <div className="secret">
        <Notice tone="warn">
          <p>Copy the key now and store it safely. It is not shown again.</p>
        </Notice>
        <p className="copied">
          <code>{key.secret}</code>
          <CopyButton text={key.secret} label="Copy the key" />
        </p>
        <h3>Try it</h3>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolls with the keyboard */}
        <pre tabIndex={0}>
          <code>{command}</code>
        </pre>
        <div className="actions">
          <CopyButton text={command} label="Copy the command" />
          <Button kind="primary" onClick={onClose}>
            I have copied the key
          </Button>
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
