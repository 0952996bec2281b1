/** The first sentence, spoken with a test key, and where to go next. */
import { useEffect, useRef, useState } from "react";
import { hrefOf } from "../lib/navigation.ts";
import { jsonBody, openClient } from "../lib/public-api.ts";
import { useRead } from "../lib/queries.ts";
import { call } from "../lib/server.ts";
import { Button, LinkButton } from "../ui/button.tsx";
import { messageOf, StatusLine } from "../ui/status-line.tsx";
import type { StepProps } from "./step-props.ts";

const SENTENCE = "Good morning. This is your own speech server, and I am one of its voices.";

export function DoneStep({ organization: { id } }: StepProps) {
  const { speak, message, isBusy } = useFirstSentence(id);
  return (
    <>
      <blockquote className="sentence">{SENTENCE}</blockquote>
      <div className="actions">
        <Button kind="primary" busy={isBusy} onClick={() => void speak()}>
          Play it
        </Button>
        <LinkButton href={hrefOf(id, "connect")}>Connect an application</LinkButton>
        <LinkButton kind="quiet" href={hrefOf(id, "overview")}>
          Open the dashboard
        </LinkButton>
      </div>
      <StatusLine id="first-sentence" message={message} />
    </>
  );
}

const release = (address: string | null) => {
  if (address !== null) URL.revokeObjectURL(address);
};

function useFirstSentence(organization: string) {
  const connection = useRead("GET /api/organizations/:organization/connection", { ids: { organization } });
  const [message, setMessage] = useState<ReturnType<typeof messageOf>>({ text: "" });
  const [isBusy, setBusy] = useState(false);
  const address = useRef<string | null>(null);
  useEffect(() => () => release(address.current), []);

  async function play(): Promise<void> {
    const speech = connection.data?.speech;
    if (!speech) throw new Error("No voice is installed on this server. See: loquat doctor");
    const { data } = await call("GET /api/organizations/:organization/projects", { ids: { organization } });
    const { secret } = await call("POST /api/projects/:project/playground-key", {
      ids: { project: data[0]!.id },
    });
    const body = { ...speech, input: SENTENCE, response_format: "mp3" };
    const response = await openClient(secret)("/audio/speech", jsonBody(body));
    release(address.current);
    address.current = URL.createObjectURL(await response.blob());
    await new Audio(address.current).play();
    setMessage({ text: `Spoken by ${speech.voice}, of ${speech.model}.` });
  }

  async function speak(): Promise<void> {
    setBusy(true);
    await play().catch((error: Error) => setMessage(messageOf(error)));
    setBusy(false);
  }
  return { speak, message, isBusy };
}
