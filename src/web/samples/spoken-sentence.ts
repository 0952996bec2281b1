/** Speaks one sentence through the public API, with a test key of the user's organization. */

import { useEffect, useRef, useState } from "react";
import { type Client, jsonBody } from "../api/public-api.ts";
import { readOnce, SESSION } from "../api/queries.ts";
import { openTestClient } from "../api/test-key.ts";
import { controlsTexts } from "../language/en/controls.ts";
import { type Message, messageOf } from "../ui/status-line.tsx";

/** `name`: of the voice, where it is known. */
export type Sentence = { model: string; voice: string; input: string; name?: string };

const release = (address: string | null) => {
  if (address !== null) URL.revokeObjectURL(address);
};

export function useSpokenSentence(organization: string) {
  const [message, setMessage] = useState<Message>({ text: "" });
  const [isBusy, setBusy] = useState(false);
  const address = useRef<string | null>(null);
  useEffect(() => () => release(address.current), []);

  async function play({ name, ...sentence }: Sentence): Promise<void> {
    const client = await clientOf(organization);
    const response = await client("/audio/speech", jsonBody({ ...sentence, response_format: "mp3" }));
    release(address.current);
    address.current = URL.createObjectURL(await response.blob());
    await new Audio(address.current).play();
    setMessage({ text: spokenBy(sentence, name) });
  }

  async function speak(sentence: Sentence | null): Promise<void> {
    if (!sentence)
      return setMessage({
        text: controlsTexts()("noVoice"),
        isError: true,
      });
    setBusy(true);
    await play(sentence).catch((error: Error) => setMessage(messageOf(error)));
    setBusy(false);
  }
  return { speak, message, isBusy };
}

const spokenBy = ({ voice, model }: Sentence, name: string | undefined): string =>
  name ? controlsTexts()("spokenBy", { voice: name }) : controlsTexts()("spokenByOf", { voice, model });

/** With the user's test key of the organization's first project. */
async function clientOf(organization: string): Promise<Client> {
  const { user } = await readOnce(SESSION, {});
  const { data } = await readOnce("GET /api/organizations/:organization/projects", { ids: { organization } });
  const active = data.find(({ status }) => status === "active");
  return openTestClient({ user: user.id, project: active!.id });
}
