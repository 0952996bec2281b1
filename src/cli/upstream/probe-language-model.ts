/** What a language model does, compared with what its preset says: one answer, and one question that needs a function. */
import type { ChatEvent, ChatRequest, LanguageModel } from "../../engine/protocol/chat.ts";
import type { Difference } from "../../models/signature/compare.ts";
import type { ChatFlags } from "../../upstreams/dialects/preset.ts";
import { counted } from "../base/counted.ts";

/** `differences`: flags of the preset that are wrong, by their names. */
export type Found = { abilities: string[]; differences: Difference[] };

const LIMIT_MS = 180_000; // a server may load the model first

const request = (content: string, tools: ChatRequest["tools"]): ChatRequest => ({
  messages: [{ role: "user", content }],
  ...{ tools, toolChoice: tools.length > 0 ? "required" : "auto", parallelCalls: false },
  ...{ maxTokens: 200, temperature: null, reasoning: null },
});

const COUNT = request("Count from one to twenty in words.", []);
const WEATHER = request("What is the weather in Oslo? Use the function.", [
  {
    name: "get_weather",
    description: "The weather of a city",
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  },
]);

/** Throws the refusal of a model that does not answer. */
export async function probeLanguageModel(model: LanguageModel, flags: ChatFlags): Promise<Found> {
  const { found, isSilent } = await probeAnswer(model, flags);
  if (isSilent) return found;
  const called = await probeCall(model, flags);
  const context = await model.contextTokens();
  const reads =
    context === null ? "does not tell how many tokens it reads: set context" : `reads ${context} tokens`;
  return {
    abilities: [...found.abilities, ...called.abilities, reads],
    differences: [...found.differences, ...called.differences],
  };
}

async function probeAnswer(model: LanguageModel, flags: ChatFlags) {
  const begunMs = performance.now();
  let firstMs: number | null = null;
  let end: Extract<ChatEvent, { is: "end" }> | null = null;
  for await (const event of model.chat(COUNT, AbortSignal.timeout(LIMIT_MS)))
    if (event.is === "text") firstMs ??= performance.now() - begunMs;
    else if (event.is === "end") end = event;
  const wholeMs = Math.round(performance.now() - begunMs);
  const found: Found = { abilities: [], differences: [] };
  if (firstMs === null) {
    const message = "all tokens were thinking, although the model is told not to think";
    found.differences.push({ path: "chat.thinking_off", message });
  } else {
    const tokens = end?.usage ? `, ${counted(end.usage.output, "token")}` : "";
    found.abilities.push(`first token after ${Math.round(firstMs)} of ${wholeMs} ms${tokens}`);
  }
  if (flags.usage && !end?.usage)
    found.differences.push({ path: "chat.usage", message: "the tokens of an answer are not counted" });
  return { found, isSilent: firstMs === null };
}

async function probeCall(model: LanguageModel, flags: ChatFlags): Promise<Found> {
  try {
    for await (const event of model.chat(WEATHER, AbortSignal.timeout(LIMIT_MS)))
      if (event.is === "call") return { abilities: [`calls functions: ${event.name}`], differences: [] };
  } catch {
    return { abilities: ["refuses functions"], differences: [] };
  }
  if (!flags.tool_choice) return { abilities: ["called no function"], differences: [] };
  const message = "no function was called where one is required";
  return { abilities: [], differences: [{ path: "chat.tool_choice", message }] };
}
