/** Who callers of this server talk to: the conversations of its operator, with the language models that are in force. */
import type { Assistant } from "../api/v1/conversation/assistant.ts";
import type { LanguageModel } from "../engine/protocol/chat.ts";
import { Refusal } from "../errors.ts";
import { type Conversation, conversationNamed, conversationsOf } from "../models/conversation.ts";
import type { ConversationAdmin } from "../models/conversation-admin.ts";
import type { Interruption } from "../realtime/dialogue/interruption.ts";
import type { Upstreams } from "./installed-models.ts";

export type Assistants = {
  /**
   * `isOfOthers`: other APIs give the name to models that converse; then it is the default's. Null: there is none of the name.
   * Refuses one whose language model is gone.
   */
  find(name: string, isOfOthers: boolean): Assistant | null;
  /** For refusals of other names; none without a language model. */
  names(): string[];
};

type Deps = Pick<Upstreams, "languageModel"> & { conversations: Pick<ConversationAdmin, "current"> };

export const openAssistants = ({ languageModel, conversations }: Deps): Assistants => ({
  names: () =>
    languageModel(null) === null ? [] : conversationsOf(conversations.current()).map(({ name }) => name),
  find(name, isOfOthers) {
    const found = conversationNamed(conversations.current(), { name, isOfOthers });
    if (found === null) return null;
    const model = languageModel(found.llm);
    if (model === null && isOfOthers && found.llm === null) return null; // refused as a name that may still transcribe
    if (model === null) throw withoutModel(found);
    return {
      ...found,
      model: {
        ...model,
        chat(request, signal) {
          const maxTokens = leastOf(request.maxTokens, found.max_output_tokens);
          return (languageModel(model.model) ?? model).chat({ ...request, maxTokens }, signal); // as it is defined now
        },
      },
      interruption: interruptionOf(found),
      guesses: guesses(found, model),
    };
  },
});

/** Null is no limit. */
const leastOf = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.min(one, other);

const interruptionOf = ({ interruption_ms, backchannels, resume }: Conversation): Interruption => ({
  ...{ afterMs: interruption_ms, ignoresBackchannels: backchannels, resumes: resume },
});

/** What is thrown away must cost nothing, unless the operator says otherwise. */
const guesses = ({ speculate }: Conversation, { leavesHost, prices }: LanguageModel): boolean =>
  speculate === "auto" ? !leavesHost && prices === null : speculate === "on";

function withoutModel({ name, llm }: Conversation): Refusal {
  if (llm === null)
    return new Refusal(
      "realtime_not_supported",
      `${name} is a conversation, for which this server has no language model: its operator can add one with "loquat upstream add".`,
      { param: "model" },
    );
  return new Refusal(
    "model_unavailable",
    `The language model ${llm} of ${name} is no longer offered. The operator of this server can set another one with "loquat conversation set ${name} --llm".`,
    { param: "model" },
  );
}
