/** Says a text in a voice of this server, with the user's test key. */
import { useRead } from "../api/queries.ts";
import { useSpokenSentence } from "./spoken-sentence.ts";

export function useServerVoice(organization: string) {
  const connection = useRead("GET /api/organizations/:organization/connection", { ids: { organization } });
  const { speak, message, isBusy } = useSpokenSentence(organization);
  const speech = connection.data?.speech;
  return {
    message,
    isBusy: isBusy || connection.isPending,
    say(input: string) {
      if (!speech) return void speak(null);
      const { model, voice, voice_name: name } = speech;
      void speak({ model, voice, name, input });
    },
  };
}
