/** The second factor of the user's password: setting it up, new recovery codes, switching it off. */
import { useRef, useState } from "react";
import { refreshAll, writeAuth } from "../api/queries.ts";
import { auth } from "../api/server.ts";
import { useSession } from "../api/session.ts";
import { accountTexts } from "../language/en/account.ts";
import { controlsTexts } from "../language/en/controls.ts";
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
  const t = accountTexts();
  const { enabled, required, satisfied } = useSession().two_factor;
  const [open, setOpen] = useState<Open>(null);
  const [codes, setCodes] = useState<string[] | null>(null);
  const close = () => setOpen(null);
  return (
    <Card
      title={t("factor")}
      actions={<Badge tone={enabled ? "good" : "plain"}>{t(enabled ? "on" : "off")}</Badge>}
    >
      {required && !satisfied && (
        <Notice tone="warn">
          <p>{t("factorRequired")}</p>
        </Notice>
      )}
      <p>{t(enabled ? "factorIsOn" : "factorIsOff")}</p>
      <div className="actions">
        {enabled ? (
          <>
            <Button onClick={() => setOpen("codes")}>{t("newCodes")}</Button>
            <Button kind="danger" onClick={() => setOpen("off")}>
              {t("switchOff")}
            </Button>
          </>
        ) : (
          <Button kind="primary" onClick={() => setOpen("set-up")}>
            {t("setUp")}
          </Button>
        )}
      </div>
      {open === "set-up" && <SetUp onClose={close} />}
      {open === "codes" && <NewCodes onMade={setCodes} onClose={close} />}
      {open === "off" && <SwitchOff onClose={close} />}
      {codes && (
        <Dialog title={t("newCodes")} onClose={() => setCodes(null)} isKept>
          <RecoveryCodes codes={codes} />
          <div className="actions">
            <Button onClick={() => setCodes(null)}>{t("stored")}</Button>
          </div>
        </Dialog>
      )}
    </Card>
  );
}

/** The password, then the key for the app and the recovery codes, then a code of the app. */
function SetUp({ onClose }: { onClose: () => void }) {
  const t = accountTexts();
  const [prepared, setPrepared] = useState<Prepared | null>(null);
  return (
    <Dialog title={t("setUpTitle")} onClose={onClose}>
      {prepared === null ? (
        <Form
          submit={t("continue")}
          actions={<Button onClick={onClose}>{controlsTexts()("cancel")}</Button>}
          onSubmit={async ({ password }) =>
            setPrepared(await auth<Prepared>("two-factor/enable", { password }))
          }
        >
          <Password name="password" label={t("yourPassword")} />
        </Form>
      ) : (
        <Form
          submit={t("switchOn")}
          actions={<Button onClick={onClose}>{controlsTexts()("cancel")}</Button>}
          onSubmit={async ({ code }) => {
            await auth("two-factor/verify-totp", { code });
            onClose();
            await refreshAll(); // the session is another one
          }}
        >
          <AppKey uri={prepared.totpURI} />
          <h3>{t("storeCodes")}</h3>
          <RecoveryCodes codes={prepared.backupCodes} />
          <h3>{t("enterCode")}</h3>
          <CodeField isApp />
          <p className="hint">{t("othersEnd")}</p>
        </Form>
      )}
    </Dialog>
  );
}

function AppKey({ uri }: { uri: string }) {
  const t = accountTexts();
  const key = new URL(uri).searchParams.get("secret") ?? "";
  return (
    <>
      <h3>{t("addKey")}</h3>
      <p>{t.rich("scan", { link: (content) => <a href={uri}>{content}</a> })}</p>
      <QrCode text={uri} label={t("qrCode")} />
      <p className="copied">
        <code>{key.match(/.{1,4}/g)?.join(" ")}</code>
        <CopyButton text={key} label={t("copyKey")} />
      </p>
    </>
  );
}

function RecoveryCodes({ codes }: { codes: string[] }) {
  const t = accountTexts();
  const list = useRef<HTMLOListElement>(null);
  return (
    <>
      <p>{t("codesText")}</p>
      <ol className="recovery-codes" ref={list}>
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ol>
      <p>
        <CopyButton kind="plain" text={codes.join("\n")} label={t("copyCodes")} from={list} />
      </p>
    </>
  );
}

type NewCodesProps = { onMade: (codes: string[]) => void; onClose: () => void };

function NewCodes({ onMade, onClose }: NewCodesProps) {
  const t = accountTexts();
  return (
    <FormDialog
      title={t("newCodesTitle")}
      submit={t("makeCodes")}
      onSubmit={async ({ password }) => {
        const made = await writeAuth<{ backupCodes: string[] }>("two-factor/generate-backup-codes", {
          password,
        });
        onMade(made.backupCodes);
      }}
      onClose={onClose}
    >
      <p>{t("oldCodesEnd")}</p>
      <Password name="password" label={t("yourPassword")} />
    </FormDialog>
  );
}

function SwitchOff({ onClose }: { onClose: () => void }) {
  const t = accountTexts();
  return (
    <FormDialog
      kind="danger"
      title={t("offTitle")}
      submit={t("switchOff")}
      onSubmit={async ({ password }) => {
        await writeAuth("two-factor/disable", { password });
      }}
      onClose={onClose}
    >
      <p>{t("offText")}</p>
      <Password name="password" label={t("yourPassword")} />
    </FormDialog>
  );
}
