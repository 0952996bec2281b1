/** A key that the user pastes: kept for the lifetime of the browser tab. */
import { useQuery } from "@tanstack/react-query";
import { type SubmitEvent, useState } from "react";
import { openClient } from "../lib/public-api.ts";
import { Button } from "../ui/button.tsx";
import { type Message, messageOf, StatusLine } from "../ui/status-line.tsx";

const STORAGE_KEY = "loquat-key";
const PLACEHOLDER = "sk_live_…";

type Me = { organization?: { name: string }; key?: { environment: string } };

export function usePastedKey() {
  const [apiKey, setApiKey] = useState(() => sessionStorage.getItem(STORAGE_KEY) ?? "");
  const me = useQuery({
    queryKey: ["playground", "me", apiKey],
    queryFn: async (): Promise<Me> => (await openClient(apiKey)("/me")).json(),
    enabled: apiKey !== "",
    staleTime: Number.POSITIVE_INFINITY,
  });
  function submit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    const pasted = String(new FormData(event.currentTarget).get("key")).trim();
    sessionStorage.setItem(STORAGE_KEY, pasted);
    if (pasted === apiKey) void me.refetch();
    else setApiKey(pasted);
  }
  const controls = (
    <>
      <form className="key-form" onSubmit={submit}>
        <label htmlFor="key">API key</label>
        <input
          id="key"
          name="key"
          type="password"
          autoComplete="off"
          spellCheck={false}
          placeholder={PLACEHOLDER}
          defaultValue={apiKey}
          aria-describedby="key-status"
        />
        <Button type="submit" kind="primary" busy={me.isLoading}>
          Use key
        </Button>
      </form>
      <StatusLine id="key-status" message={messageFor(apiKey, me.data, me.error)} />
    </>
  );
  return { controls, apiKey, isReady: me.data !== undefined };
}

function messageFor(apiKey: string, me: Me | undefined, error: Error | null): Message {
  if (apiKey === "")
    return { text: "Paste an API key to begin. It stays in this tab and is sent to this server only." };
  if (error) return messageOf(error);
  if (!me) return { text: "Checking the key …" };
  return {
    text: `Ready: ${me.organization?.name ?? "your organization"}, ${me.key?.environment ?? ""} key.`,
  };
}
