/** Speaks a book, another file or a web page with the chosen voice, as a job, and leads to its page. */
import { useContext, useState } from "react";
import { useLocation } from "wouter";
import { type Client, jsonBody } from "../../api/public-api.ts";
import { FILE_NAME_MAX, sendFile } from "../../api/send-file.ts";
import { OrganizationContext } from "../../api/session.ts";
import { hrefOf } from "../../browser/navigation.ts";
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
      <summary>Speak a book, a file or a web page</summary>
      <Form submit="Speak in the background" kind="plain" onSubmit={(_, all) => make(all)}>
        <Field
          name="input_file_id"
          label="File"
          type="file"
          accept={ACCEPTED}
          hint="An EPUB without protection, or HTML, Markdown or plain text"
        />
        <Field
          name="input_url"
          label="Or the address of a web page, an EPUB or a text"
          type="url"
          placeholder="https://"
          maxLength={2048}
        />
        <Choice name="response_format" label="Format of the file" defaultValue={USUAL_FORMAT}>
          {formats.map((format) => (
            <option key={format}>{format}</option>
          ))}
        </Choice>
        <p className="hint">
          It is spoken with the voice and the speed that are chosen here, chapter by chapter, as a job that
          goes on without this page.
        </p>
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
  say({ text: "Reading the text …" });
  const body = { ...fields, ...text, chapters: "headings", background: true };
  return (await (await client("/audio/speech", jsonBody(body))).json()).id;
}

/** A book without a title is shown by the name of its file. */
async function sourceOf(client: Client, all: FormData, say: Making["say"]): Promise<object> {
  const file = all.get("input_file_id") as File;
  const url = String(all.get("input_url")).trim();
  if (file.size === 0 && url === "") throw new Error("Choose a file, or write an address.");
  if (file.size > 0 && url !== "") throw new Error("Choose a file or write an address, and not both.");
  if (url !== "") return { input_url: url };
  const onSent = (share: number) => say({ text: `Sent ${Math.round(100 * share)} % of ${file.name}` });
  say({ text: `Sending ${file.name} …` });
  return {
    input_file_id: await sendFile(client, file, onSent),
    metadata: { text: file.name.slice(-FILE_NAME_MAX) },
  };
}
