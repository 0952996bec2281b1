/** One language model of an upstream: its answers, how much it reads, and its loading before it is needed. */
import type { ChatRequest, LanguageModel } from "../../engine/protocol/chat.ts";
import type { ChatFlags } from "../dialects/preset.ts";
import type { RetriedConnection } from "../dialects/upstream-connection.ts";
import { openExchange, readJson } from "../transport/exchange.ts";
import { chatTurn, warmUp } from "./chat-turn.ts";
import type { Leading } from "./thinking.ts";

const FIRST_TOKEN_MS = 20_000;
/** Servers unload a model that is not used for five minutes. */
const LOADED_MS = 4 * 60_000;
const ASK_MS = 5000;
const LIST_BYTES_MAX = 4 * 1024 * 1024;

/** As a definition has it; prices are of a million tokens. */
type ModelEntry = {
  model: string;
  upstream_model: string;
  context?: number;
  vision?: boolean;
  thinking?: boolean;
  price_input_micros?: number;
  price_output_micros?: number;
  extra?: Record<string, unknown>;
};

/** The preset has `chat`. */
export function openLanguageModel(connection: RetriedConnection, entry: ModelEntry): LanguageModel {
  const flags = connection.preset.chat!;
  const { model, upstream_model, vision = false, thinking = false, extra = {} } = entry;
  let usedMs: number | null = null;
  let isLoading = false;
  const isLoaded = () => usedMs !== null && performance.now() - usedMs < LOADED_MS;
  let told: Promise<number | null> | null = null;
  const loadingMs = Math.max(FIRST_TOKEN_MS, flags.load_ms);
  const asked = { model: upstream_model, flags, thinks: thinking, extra };
  const unknown = (): { is: Leading } => ({
    is: flags.thinking === "may-lead" || thinking ? "unknown" : "no",
  });
  const leading = { silent: unknown(), thinking: unknown() };
  const askingOf = ({ reasoning }: ChatRequest) => ({
    model: asked,
    firstTokenMs: isLoaded() ? FIRST_TOKEN_MS : loadingMs,
    leading: reasoning === null ? leading.silent : leading.thinking,
  });
  const chat: LanguageModel["chat"] = async function* (request, signal) {
    for await (const event of chatTurn(connection, request, { ...askingOf(request), signal })) {
      usedMs = performance.now();
      yield event;
    }
  };
  return {
    ...{ model, vision, chat },
    async warm(request, signal) {
      if (isLoaded() || isLoading) return;
      isLoading = true;
      try {
        await warmUp(connection, request, { ...askingOf(request), signal });
        usedMs = performance.now();
      } finally {
        isLoading = false;
      }
    },
    leavesHost: connection.preset.leaves_host,
    prices: pricesOf(entry),
    async contextTokens() {
      if (entry.context !== undefined) return entry.context;
      told ??= askContext(connection, flags, upstream_model);
      const tokens = await told.catch(() => null);
      if (tokens === null) told = null;
      return tokens;
    },
  };
}

function pricesOf({ price_input_micros, price_output_micros }: ModelEntry): LanguageModel["prices"] {
  if (price_input_micros === undefined && price_output_micros === undefined) return null;
  return { input: price_input_micros ?? 0, output: price_output_micros ?? 0 };
}

async function askContext(
  { pool, headers }: RetriedConnection,
  { context }: ChatFlags,
  model: string,
): Promise<number | null> {
  if (context === null) return null;
  const signal = AbortSignal.timeout(ASK_MS);
  const lease = await pool.take(signal);
  try {
    const timeouts = { firstByteMs: ASK_MS, betweenBytesMs: ASK_MS, wholeMs: ASK_MS };
    using exchange = await openExchange(
      { path: context.path, method: "GET" },
      { address: lease.server.address, headers: headers(), timeouts, signal },
    );
    return tokensIn(await readJson(exchange, LIST_BYTES_MAX), context.field, model);
  } finally {
    lease.release();
  }
}

/** A list of models has it in the entry of the model; what tells of one model has it anywhere near the top. */
function tokensIn(answer: unknown, field: string, model: string): number | null {
  const { data } = (answer ?? {}) as { data?: unknown };
  const entry = Array.isArray(data) ? data.find((each) => each?.id === model) : answer;
  return numberBelow(entry, field, 3);
}

function numberBelow(value: unknown, field: string, depth: number): number | null {
  if (typeof value !== "object" || value === null || depth === 0) return null;
  const found = (value as Record<string, unknown>)[field];
  if (typeof found === "number" && Number.isInteger(found) && found >= 256) return found;
  for (const each of Object.values(value)) {
    const below = numberBelow(each, field, depth - 1);
    if (below !== null) return below;
  }
  return null;
}
