/** Speaks one sentence through the public API, with a test key of the user's organization. */
import { useEffect, useRef, useState } from "react";
import { jsonBody, openClient } from "../lib/public-api.ts";
import { queryClient } from "../lib/queries.ts";
import { call } from "../lib/server.ts";
import { type Message, messageOf } from "../ui/status-line.tsx";

export type Sentence = { model: string; voice: string; input: string };

const KEY_MS = 3_600_000; // it is valid for twelve hours

const release = (address: string | null) => {
  if (address !== null) URL.revokeObjectURL(address);
};

export function useSpokenSentence(organization: string) {
  const [message, setMessage] = useState<Message>({ text: "" });
  const [isBusy, setBusy] = useState(false);
  const address = useRef<string | null>(null);
  useEffect(() => () => release(address.current), []);

  async function play(sentence: Sentence): Promise<void> {
    const secret = await testKeyOf(organization);
    const body = { ...sentence, response_format: "mp3" };
    const response = await openClient(secret)("/audio/speech", jsonBody(body));
    release(address.current);
    address.current = URL.createObjectURL(await response.blob());
    await new Audio(address.current).play();
    setMessage({ text: `Spoken by ${sentence.voice}, of ${sentence.model}.` });
  }

  async function speak(sentence: Sentence | null): Promise<void> {
    if (!sentence)
      return setMessage({
        text: "No voice is installed on this server. See: loquat doctor",
        isError: true,
      });
    setBusy(true);
    await play(sentence).catch((error: Error) => {
      queryClient.removeQueries({ queryKey: keyName(organization) }); // a playground may have replaced it
      setMessage(messageOf(error));
    });
    setBusy(false);
  }
  return { speak, message, isBusy };
}

const keyName = (organization: string) => ["samples", "key", organization];

/** One for all sentences of an hour: creating a key replaces the user's last one of the project. */
const testKeyOf = (organization: string): Promise<string> =>
  queryClient.fetchQuery({
    queryKey: keyName(organization),
    staleTime: KEY_MS,
    queryFn: async () => {
      const { data } = await call("GET /api/organizations/:organization/projects", { ids: { organization } });
      const ids = { project: data[0]!.id };
      return (await call("POST /api/projects/:project/playground-key", { ids })).secret;
    },
  });
