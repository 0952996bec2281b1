/** Conversations as an operator manages them: their parts and texts, which is the default, and what they may name. */
import { isStt, isTts } from "../../../models/catalogue.ts";
import { conversationsOf, type ListedConversation, partFaults } from "../../../models/conversation.ts";
import { usesOf } from "../../../models/manifest.ts";
import type { conversationRoutes } from "../schema/conversation-routes.ts";
import { type Handlers, notFound, type Reads } from "./handler.ts";

type ConversationDeps = Reads<"catalogue" | "upstreams" | "conversations">;

export function conversationHandlers(deps: ConversationDeps): Handlers<typeof conversationRoutes> {
  const { catalogue, upstreams, conversations } = deps;
  const models = () => upstreams.set.languageModels();

  const recordOf = ({ isDefault, ...conversation }: ListedConversation) => {
    const { name, llm } = conversation;
    const model = models().find(({ entry }) => llm === null || entry.model === llm);
    const languageModels = () =>
      models().map(({ entry }) => ({ id: entry.model, theirs: entry.upstream_model }));
    const faults = partFaults(conversation, { catalogue, languageModels });
    const missing = model ? [] : ["The server has no language model for it."];
    return {
      object: "conversation" as const,
      ...conversation,
      is_default: isDefault,
      is_built_in: !conversations.current().some((each) => each.name === name),
      leaves_host: model?.preset.leaves_host ?? false,
      problems: [
        ...missing,
        ...faults.filter(({ field }) => field !== "llm").map(({ field, message }) => `${field} ${message}.`),
      ],
    };
  };
  return {
    "GET /api/operator/conversations": async () => ({
      object: "list",
      data: conversationsOf(conversations.current()).map(recordOf),
      choices: {
        llm: models().map(({ entry: { model, upstream_model }, definition, preset }) => ({
          ...{ id: model, name: `${upstream_model}, at ${definition.name}`, leaves_host: preset.leaves_host },
        })),
        stt: catalogue.entries
          .filter(isStt)
          .filter(({ version }) => version !== null && usesOf(version).includes("realtime"))
          .map(({ id, manifest }) => ({ id, name: manifest.name })),
        tts: catalogue.entries
          .filter(isTts)
          .filter(({ version }) => version !== null)
          .map(({ id, manifest }) => ({ id, name: manifest.name })),
        voice: catalogue.voices.map(({ id, name }) => ({ id, name })),
      },
    }),
    "PUT /api/operator/conversations": async ({ body }) => recordOf(await conversations.put(body)),
    async "POST /api/operator/conversations/:conversation/default"({ ids }) {
      if (!(await conversations.setDefault(ids.conversation))) throw notFound("conversation");
    },
    async "DELETE /api/operator/conversations/:conversation"({ ids }) {
      if (!(await conversations.remove(ids.conversation))) throw notFound("conversation");
    },
  };
}
