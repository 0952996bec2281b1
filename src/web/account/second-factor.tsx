/** The second factor of the user's password: setting it up, new recovery codes, switching it off. */
import { useRef, useState } from "react";
import { refreshAll, writeAuth } from "../api/queries.ts";
import { auth } from "../api/server.ts";
import { useSession } from "../api/session.ts";
import { Button, CopyButton } from "../ui/button.tsx";
import { CodeField } from "../ui/form/code-field.tsx";
import { Form } from "../ui/form/form.tsx";
import { FormDialog } from "../ui/form/form-dialog.tsx";
import { Password } from "../ui/form/password.tsx";
import { Dialog } from "../ui/overlay/dialog.tsx";
import { Badge, Card, Notice } from "../ui/page.tsx";
import { QrCode } from "../ui/qr-code.tsx";

type Prepared = { totpURI: string; backupCodes: string[] };
type Open = "set-up" | "codes" | "off" | null;

export function SecondFactor() {
  const { enabled, required, satisfied } = useSession().two_factor;
  const [open, setOpen] = useState<Open>(null);
  const [codes, setCodes] = useState<string[] | null>(null);
  const close = () => setOpen(null);
  return (
    <Card
      title="Second factor"
      actions={<Badge tone={enabled ? "good" : "plain"}>{enabled ? "on" : "off"}</Badge>}
    >
      {required && !satisfied && (
        <Notice tone="warn">
          <p>This server asks its operators for a second factor.</p>
        </Notice>
      )}
      <p>
        {enabled
          ? "Signing in with your password takes a code of your authenticator app besides, and so do payments, roles and deletions."
          : "Protect your password: signing in then takes a code of an authenticator app on your phone besides."}
      </p>
      <div className="actions">
        {enabled ? (
          <>
            <Button onClick={() => setOpen("codes")}>New recovery codes</Button>
            <Button kind="danger" onClick={() => setOpen("off")}>
              Switch off
            </Button>
          </>
        ) : (
          <Button kind="primary" onClick={() => setOpen("set-up")}>
            Set up
          </Button>
        )}
      </div>
      {open === "set-up" && <SetUp onClose={close} />}
      {open === "codes" && <NewCodes onMade={setCodes} onClose={close} />}
      {open === "off" && <SwitchOff onClose={close} />}
      {codes && (
        <Dialog title="New recovery codes" onClose={() => setCodes(null)} isKept>
          <RecoveryCodes codes={codes} />
          <div className="actions">
            <Button onClick={() => setCodes(null)}>I have stored the codes</Button>
          </div>
        </Dialog>
      )}
    </Card>
  );
}

/** The password, then the key for the app and the recovery codes, then a code of the app. */
function SetUp({ onClose }: { onClose: () => void }) {
  const [prepared, setPrepared] = useState<Prepared | null>(null);
  return (
    <Dialog title="Set up a second factor" onClose={onClose}>
      {prepared === null ? (
        <Form
          submit="Continue"
          actions={<Button onClick={onClose}>Cancel</Button>}
          onSubmit={async ({ password }) =>
            setPrepared(await auth<Prepared>("two-factor/enable", { password }))
          }
        >
          <Password name="password" label="Your password" />
        </Form>
      ) : (
        <Form
          submit="Switch on"
          actions={<Button onClick={onClose}>Cancel</Button>}
          onSubmit={async ({ code }) => {
            await auth("two-factor/verify-totp", { code });
            onClose();
            await refreshAll(); // the session is another one
          }}
        >
          <AppKey uri={prepared.totpURI} />
          <h3>2. Store the recovery codes</h3>
          <RecoveryCodes codes={prepared.backupCodes} />
          <h3>3. Enter the code that the app shows</h3>
          <CodeField isApp />
          <p className="hint">All your other sessions end.</p>
        </Form>
      )}
    </Dialog>
  );
}

function AppKey({ uri }: { uri: string }) {
  const key = new URL(uri).searchParams.get("secret") ?? "";
  return (
    <>
      <h3>1. Add the key to your authenticator app</h3>
      <p>
        Scan this code with the app, <a href={uri}>open it in an app on this device</a>, or type the key
        there: time-based, six digits, 30 seconds.
      </p>
      <QrCode text={uri} label="The key as a QR code" />
      <p className="copied">
        <code>{key.match(/.{1,4}/g)?.join(" ")}</code>
        <CopyButton text={key} label="Copy the key" />
      </p>
    </>
  );
}

function RecoveryCodes({ codes }: { codes: string[] }) {
  const list = useRef<HTMLOListElement>(null);
  return (
    <>
      <p>Each signs you in once without the app. They are not shown again.</p>
      <ol className="recovery-codes" ref={list}>
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ol>
      <p>
        <CopyButton kind="plain" text={codes.join("\n")} label="Copy the codes" from={list} />
      </p>
    </>
  );
}

type NewCodesProps = { onMade: (codes: string[]) => void; onClose: () => void };

function NewCodes({ onMade, onClose }: NewCodesProps) {
  return (
    <FormDialog
      title="Make new recovery codes?"
      submit="Make new codes"
      onSubmit={async ({ password }) => {
        const made = await writeAuth<{ backupCodes: string[] }>("two-factor/generate-backup-codes", {
          password,
        });
        onMade(made.backupCodes);
      }}
      onClose={onClose}
    >
      <p>The codes that you have stored end.</p>
      <Password name="password" label="Your password" />
    </FormDialog>
  );
}

function SwitchOff({ onClose }: { onClose: () => void }) {
  return (
    <FormDialog
      kind="danger"
      title="Switch the second factor off?"
      submit="Switch off"
      onSubmit={async ({ password }) => {
        await writeAuth("two-factor/disable", { password });
      }}
      onClose={onClose}
    >
      <p>Your password alone then opens your account. Your recovery codes end.</p>
      <Password name="password" label="Your password" />
    </FormDialog>
  );
}
