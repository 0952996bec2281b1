/** Speaks a book, another file or a web page with the chosen voice, as a job, and leads to its page. */

import { useContext, useState } from "react";
import { useLocation } from "wouter";
import { type Client, jsonBody } from "../../api/public-api.ts";
import { FILE_NAME_MAX, sendFile } from "../../api/send-file.ts";
import { OrganizationContext } from "../../api/session.ts";
import { hrefOf } from "../../browser/navigation.ts";
import { speakTexts } from "../../language/en/speak.ts";
import { Choice, Field, Form } from "../../ui/form/form.tsx";
import { type Message, StatusLine } from "../../ui/status-line.tsx";
import type { FullRequest } from "../synthesis/synthesis.ts";

type LongTextProps = {
  client: Client;
  /** With the voice and the settings of the page. */
  request: () => FullRequest;
  formats: readonly string[];
};

/** Of files, by their names: those that the API reads. */
const ACCEPTED = ".epub,.html,.htm,.xhtml,.md,.markdown,.txt,.ssml";
/** A book of hours: hundreds of megabytes otherwise. */
const USUAL_FORMAT = "mp3";

/** Nothing outside the dashboard, which has the page of jobs. */
export function LongText({ client, request, formats }: LongTextProps) {
  const organization = useContext(OrganizationContext);
  const t = speakTexts();
  const [, navigate] = useLocation();
  const [message, setMessage] = useState<Message>({ text: "" });
  if (!organization) return null;
  const { id } = organization;
  async function make(all: FormData) {
    try {
      const job = await makeSpeechJob(client, { request: request(), all, say: setMessage });
      navigate(`${hrefOf(id, "jobs")}?open=${job}`);
    } finally {
      setMessage({ text: "" });
    }
  }
  return (
    <details>
      <summary>{t("longTitle")}</summary>
      <Form submit={t("longSubmit")} kind="plain" onSubmit={(_, all) => make(all)}>
        <Field name="input_file_id" label={t("file")} type="file" accept={ACCEPTED} hint={t("fileHint")} />
        <Field name="input_url" label={t("address")} type="url" placeholder="https://" maxLength={2048} />
        <Choice name="response_format" label={t("fileFormat")} defaultValue={USUAL_FORMAT}>
          {formats.map((format) => (
            <option key={format}>{format}</option>
          ))}
        </Choice>
        <p className="hint">{t("longHint")}</p>
        <StatusLine id="long-text-status" message={message} />
      </Form>
    </details>
  );
}

type Making = { request: FullRequest; all: FormData; say: (message: Message) => void };

/** The id of the job. */
async function makeSpeechJob(client: Client, { request, all, say }: Making): Promise<string> {
  const { input: _, language: __, ...settings } = request;
  const fields = { ...settings, response_format: String(all.get("response_format")) };
  const text = await sourceOf(client, all, say);
  say({ text: speakTexts()("readingText") });
  const body = { ...fields, ...text, chapters: "headings", background: true };
  return (await (await client("/audio/speech", jsonBody(body))).json()).id;
}

/** A book without a title is shown by the name of its file. */
async function sourceOf(client: Client, all: FormData, say: Making["say"]): Promise<object> {
  const t = speakTexts();
  const file = all.get("input_file_id") as File;
  const url = String(all.get("input_url")).trim();
  if (file.size === 0 && url === "") throw new Error(t("chooseFile"));
  if (file.size > 0 && url !== "") throw new Error(t("notBoth"));
  if (url !== "") return { input_url: url };
  const onSent = (share: number) =>
    say({ text: t("sent", { percent: Math.round(100 * share), file: file.name }) });
  say({ text: t("sending", { file: file.name }) });
  return {
    input_file_id: await sendFile(client, file, onSent),
    metadata: { text: file.name.slice(-FILE_NAME_MAX) },
  };
}
