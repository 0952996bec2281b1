/** Guides a new organization to its first request: create a key, send a request, see it arrive. */

import { useEffect, useState } from "react";
import { useNewKey } from "../api/new-key.ts";
import { useOrganization, useSession } from "../api/session.ts";
import { speechCurl, speechSnippets } from "../api/snippets.ts";
import { apiBase } from "../browser/addresses.ts";
import { hrefOf } from "../browser/navigation.ts";
import { overviewTexts } from "../language/en/overview.ts";
import { Button, CopyButton } from "../ui/button.tsx";
import { Card } from "../ui/page.tsx";
import { Failure } from "../ui/query-boundary.tsx";
import { code, linkTo } from "../ui/rich.tsx";
import { CodeTabs } from "../ui/tabs.tsx";

/** `onMount`: from now on, the first request is announced when it arrives. */
export function FirstSteps({ onMount }: { onMount: () => void }) {
  const { id } = useOrganization();
  const t = overviewTexts();
  const [secret, setSecret] = useState<string | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: on mount only
  useEffect(onMount, []);
  return (
    <Card title={t("firstSteps")}>
      <ol className="steps">
        <li>
          <h3>{t("createKey")}</h3>
          {secret === null ? <KeyStep onCreated={setSecret} /> : <Secret of={secret} />}
        </li>
        <li>
          <h3>{t("send")}</h3>
          <FirstCall secret={secret} />
          <p>{t.rich("tryVoice", { link: linkTo(hrefOf(id, "playground")) })}</p>
        </li>
        <li>
          <h3>{t("view")}</h3>
          <p className="waiting" role="status">
            {t("waiting")}
          </p>
          <p className="hint">{t("updates")}</p>
        </li>
      </ol>
    </Card>
  );
}

/** A key for the call below; a new server has one already, which only its operator can read. */
function KeyStep({ onCreated }: { onCreated: (secret: string) => void }) {
  const { id } = useOrganization();
  const t = overviewTexts();
  const { operator } = useSession().user;
  const { make, isReady, isBusy, error } = useNewKey(id, ({ secret }) => onCreated(secret));
  return (
    <>
      <p>{t.rich("createKeyText", { link: linkTo(hrefOf(id, "keys")) })}</p>
      <Button kind="primary" busy={isBusy} disabled={!isReady} onClick={() => make({ name: "First steps" })}>
        {t("create")}
      </Button>
      {operator && <p className="hint">{t.rich("firstKey", { code })}</p>}
      {error && <Failure error={error} />}
    </>
  );
}

const Secret = ({ of }: { of: string }) => (
  <>
    <p className="copied">
      <code>{of}</code>
      <CopyButton text={of} label={overviewTexts()("copyKey")} />
    </p>
    <p className="hint">{overviewTexts()("storeKey")}</p>
  </>
);

const REQUEST = { model: "svc-tts1", voice: "female-warm", input: "Good morning from Loquat." };

/** A first call in several languages. `secret`: of the key that is filled in. */
export function FirstCall({ secret = null }: { secret?: string | null }) {
  const snippets = speechSnippets(apiBase(), REQUEST);
  const filled = secret === null ? snippets : { ...snippets, curl: speechCurl(apiBase(), REQUEST, secret) };
  return (
    <>
      <CodeTabs snippets={filled} />
      <p className="hint">{overviewTexts()(secret === null ? "readsKey" : "othersReadKey")}</p>
    </>
  );
}
