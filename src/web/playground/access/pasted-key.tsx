/** A key that the user pastes, or that a link contains: kept for the lifetime of the browser tab. */

import { useQuery } from "@tanstack/react-query";
import { type SubmitEvent, useEffect, useMemo, useState } from "react";
import { openClient } from "../../api/public-api.ts";
import { speakTexts } from "../../language/en/speak.ts";
import { Button, LinkButton } from "../../ui/button.tsx";
import { Card } from "../../ui/page.tsx";
import { type Message, messageOf, StatusLine } from "../../ui/status-line.tsx";
import type { Access } from "./catalogue.ts";
import { storedKey, storeKey, takeKeyFromAddress } from "./key-address.ts";

const PLACEHOLDER = "sk_live_…";

type Me = { organization?: { name: string }; key?: { environment: string } };

export function usePastedKey(): { access: Access; keyForm: KeyFormProps } {
  const [apiKey, setApiKey] = useState(() => {
    takeKeyFromAddress();
    return storedKey();
  });
  const me = useQuery({
    queryKey: ["playground", "me", apiKey],
    queryFn: async (): Promise<Me> => (await openClient(apiKey)("/me")).json(),
    enabled: apiKey !== "",
    staleTime: Number.POSITIVE_INFINITY,
  });
  useEffect(() => {
    const take = () => {
      takeKeyFromAddress();
      setApiKey(storedKey());
    };
    addEventListener("hashchange", take);
    return () => removeEventListener("hashchange", take);
  }, []);
  function use(pasted: string) {
    storeKey(pasted);
    if (pasted === apiKey) void me.refetch();
    else setApiKey(pasted);
  }
  const client = useMemo(() => openClient(apiKey), [apiKey]);
  const isReady = me.data !== undefined;
  return {
    access: { client, apiKey, isReady, owner: "key" },
    keyForm: { apiKey, isReady, isBusy: me.isLoading, message: messageFor(apiKey, me), onUse: use },
  };
}

type KeyFormProps = {
  apiKey: string;
  isReady: boolean;
  isBusy: boolean;
  message: Message;
  onUse: (key: string) => void;
};

/** Before a key is in use, the first card of the page; after that, one line. */
export function KeyForm({ isReady, ...form }: KeyFormProps) {
  const t = speakTexts();
  const [isChanging, setChanging] = useState(false);
  if (!isReady || isChanging)
    return (
      <Card title={t("needsKey")}>
        <PasteForm
          {...form}
          onUse={(key) => {
            form.onUse(key);
            setChanging(false);
          }}
        />
      </Card>
    );
  return (
    <div className="key-line">
      <StatusLine id="key-status" message={form.message} />
      <Button kind="quiet" onClick={() => setChanging(true)}>
        {t("changeKey")}
      </Button>
    </div>
  );
}

function PasteForm({ apiKey, isBusy, message, onUse }: Omit<KeyFormProps, "isReady">) {
  const t = speakTexts();
  function submit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    onUse(String(new FormData(event.currentTarget).get("key")).trim());
  }
  return (
    <>
      <p>{t("pasteKey")}</p>
      <form className="key-form" onSubmit={submit}>
        <label htmlFor="key">{t("key")}</label>
        <input
          id="key"
          name="key"
          type="password"
          autoComplete="off"
          spellCheck={false}
          placeholder={PLACEHOLDER}
          defaultValue={apiKey}
          aria-describedby="key-status"
          aria-invalid={message.isError || undefined}
        />
        <Button type="submit" kind="primary" busy={isBusy}>
          {t("useKey")}
        </Button>
        <LinkButton href="/sign-in?next=%2Fplayground">{t("signIn")}</LinkButton>
      </form>
      <StatusLine id="key-status" message={message} />
    </>
  );
}

function messageFor(apiKey: string, { data, error }: { data: Me | undefined; error: Error | null }): Message {
  if (apiKey === "") return { text: "" };
  if (error) return messageOf(error);
  const t = speakTexts();
  if (!data) return { text: t("checkingKey") };
  const organization = data.organization?.name ?? t("yourOrganization");
  return { text: t(data.key?.environment === "test" ? "usingTest" : "usingLive", { organization }) };
}
