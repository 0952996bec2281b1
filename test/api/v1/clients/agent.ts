/** A live session of the OpenAI Agents SDK, as an application would open it. */
import { OpenAIRealtimeWebSocket, RealtimeAgent, RealtimeSession } from "@openai/agents-realtime";

/** `model` null: the default of the SDK. */
type AgentOptions = { url: string; apiKey: string; model: string | null };

/** The transcript that the SDK has in its history once `speak` has sent audio. */
export async function agentTranscript(
  { url, apiKey, model }: AgentOptions,
  speak: (session: RealtimeSession) => Promise<void> | void,
): Promise<string> {
  const transport = new OpenAIRealtimeWebSocket({ url, useInsecureApiKey: true });
  const session = new RealtimeSession(new RealtimeAgent({ name: "listener" }), {
    transport,
    ...(model && { model }),
  });
  const transcript = Promise.withResolvers<string>();
  session.on("error", (error) => transcript.reject(error.error));
  session.on("history_updated", (history) => {
    for (const item of history) {
      if (item.type !== "message" || item.role !== "user") continue;
      for (const part of item.content)
        if (part.type === "input_audio" && part.transcript) transcript.resolve(part.transcript);
    }
  });
  await session.connect({ apiKey, url });
  try {
    await speak(session);
    return await transcript.promise;
  } finally {
    session.close();
  }
}
