/** Who callers of this server talk to: the assistants that conversations name, made of what is installed and defined. */
import type { Assistant } from "../api/v1/conversation/assistant.ts";
import { aliasName } from "../models/aliases.ts";
import { INTERRUPTION } from "../realtime/dialogue/interruption.ts";
import type { Upstreams } from "./installed-models.ts";

const ASSISTANT = "assistant";
const INSTRUCTIONS = "You are a helpful assistant.";

/** The one assistant of this server: its first language model, with the first models that listen and speak. */
export function assistants({ languageModel }: Pick<Upstreams, "languageModel">) {
  return (name: string, isOfOthers: boolean): Assistant | null => {
    const model = isOfOthers || aliasName(name) === ASSISTANT ? languageModel(null) : null;
    if (model === null) return null;
    return {
      ...{ name: ASSISTANT, stt: null, tts: null, voice: null },
      model: {
        ...model,
        chat: (request, signal) => (languageModel(model.model) ?? model).chat(request, signal), // as it is defined now
      },
      ...{ instructions: INSTRUCTIONS, interruption: INTERRUPTION },
      guesses: !model.leavesHost && model.prices === null, // what is thrown away costs nothing
    };
  };
}
