/** Offers a job for a recording that is larger or longer than one request takes, and leads to its page. */

import { useContext, useState } from "react";
import { useLocation } from "wouter";
import type { Client } from "../../api/public-api.ts";
import { OrganizationContext } from "../../api/session.ts";
import type { TranscriptionRequest } from "../../api/snippets.ts";
import { hrefOf } from "../../browser/navigation.ts";
import { transcribeTexts } from "../../language/en/transcribe.ts";
import { Button } from "../../ui/button.tsx";
import { type Message, messageOf, StatusLine } from "../../ui/status-line.tsx";
import { makeJob } from "./background.ts";

type InBackgroundProps = { client: Client; request: () => TranscriptionRequest; file: File };

/** Nothing outside the dashboard, which has the page of jobs. */
export function InBackground({ client, request, file }: InBackgroundProps) {
  const organization = useContext(OrganizationContext);
  const t = transcribeTexts();
  const [, navigate] = useLocation();
  const [message, setMessage] = useState<Message>({ text: "" });
  const [isBusy, setBusy] = useState(false);
  if (!organization) return null;
  const { id } = organization;
  async function make() {
    setBusy(true);
    setMessage({ text: t("sending", { file: file.name }) });
    const onSent = (part: number) =>
      setMessage({ text: t("sent", { percent: Math.round(100 * part), file: file.name }) });
    try {
      const job = await makeJob(client, { request: request(), file, onSent });
      navigate(`${hrefOf(id, "jobs")}?open=${job}`);
    } catch (error) {
      setMessage(messageOf(error));
      setBusy(false);
    }
  }
  return (
    <>
      <div className="actions">
        <Button kind="primary" busy={isBusy} onClick={() => void make()}>
          {t("inBackground")}
        </Button>
        <span className="hint">{t("inBackgroundHint")}</span>
      </div>
      <StatusLine id="background-status" message={message} />
    </>
  );
}
