/** The only time that a secret is seen: to be copied, and tried. */
import type { Reply } from "../lib/server.ts";
import { Button, CopyButton } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Notice } from "../ui/page.tsx";

type KeyWithSecret = Reply<"POST /api/keys/:key/rotate">;
type KeySecretProps = { title: string; of: KeyWithSecret; onClose: () => void };

export function KeySecret({ title, of: key, onClose }: KeySecretProps) {
  const command = commandOf(key, location.origin);
  return (
    <Dialog title={title} onClose={onClose}>
      <div className="secret">
        <Notice tone="warn">
          <p>Copy the key now and keep it safe: it is not shown again.</p>
        </Notice>
        <p className="copied">
          <code>{key.secret}</code>
          <CopyButton text={key.secret} label="Copy the key" />
        </p>
        <h3>Try it</h3>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled with the keyboard */}
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

/** A call that the key may make. */
function commandOf({ secret, scopes }: Pick<KeyWithSecret, "secret" | "scopes">, origin: string): string {
  const authorization = `-H "Authorization: Bearer ${secret}"`;
  if (!scopes.includes("speech:create")) return `curl ${origin}/v1/me \\\n  ${authorization}`;
  const body = JSON.stringify({ model: "svc-tts1", voice: "female-warm", input: "Hello from Loquat." });
  return [
    `curl ${origin}/v1/audio/speech`,
    authorization,
    `-H "Content-Type: application/json"`,
    `-d '${body}'`,
    "-o hello.wav",
  ].join(" \\\n  ");
}
