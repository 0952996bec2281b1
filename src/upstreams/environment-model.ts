/**
 * The language model that the environment names, for servers that are set up without commands. What it leaves out is asked of
 * its server, until that answers.
 */
import type { LanguageModelSetting } from "../config/language-model-setting.ts";
import type { Log } from "../log/log.ts";
import { type Definition, presetWith } from "./definition.ts";
import { withoutVersion } from "./discovered-definition.ts";
import { idOf } from "./discovered-models.ts";
import { listModels } from "./discovery.ts";
import { openExchange } from "./transport/exchange.ts";
import type { UpstreamFailure } from "./transport/failure.ts";
import { resolveAll } from "./transport/resolve-names.ts";
import { credentialHeaders } from "./upstream.ts";
import { ENVIRONMENT, type UpstreamSet } from "./upstreams.ts";

const AGAIN_MS = 15_000;
const ASK_MS = 5000;
const LIMITS = { firstByteMs: ASK_MS, betweenBytesMs: ASK_MS, wholeMs: ASK_MS };

type Deps = {
  set: Pick<UpstreamSet, "presets" | "check" | "addFromEnvironment">;
  log: Pick<Log, "info" | "warn">;
  /** As 2026-11-23. */
  today: string;
};

/** Asked at once, and again until it is in force. */
export function followEnvironmentModel(setting: LanguageModelSetting, deps: Deps): Disposable {
  const closing = new AbortController();
  let timer: Timer | null = null;
  let isReported = false;
  const ask = async () => {
    try {
      const definition = await environmentModel(setting, deps, closing.signal);
      if (closing.signal.aborted) return;
      for (const fault of deps.set.addFromEnvironment(definition))
        deps.log.warn("upstream_unusable", { fault });
      deps.log.info("language_model_added", {
        preset: definition.preset,
        model: definition.models[0]!.model,
      });
    } catch (cause) {
      if (closing.signal.aborted) return;
      if (!isReported) deps.log.warn("language_model_unknown", { cause });
      isReported = true;
      timer = setTimeout(ask, AGAIN_MS);
      timer.unref();
    }
  };
  void ask();
  return {
    [Symbol.dispose]() {
      closing.abort(new Error("the server is closing"));
      if (timer) clearTimeout(timer);
    },
  };
}

/** Its definition. Throws where its server does not answer, or does not say which model is meant. */
export async function environmentModel(
  { url, model, api, key, credential }: LanguageModelSetting,
  { set, today }: Omit<Deps, "log">,
  signal: AbortSignal,
): Promise<Definition> {
  const base = withoutVersion(url);
  const asking = { key, signal };
  const preset = api ?? (await presetAt(base, asking));
  const named = model ?? (await onlyModel(base, presetWith(set.presets, preset, {}), asking));
  return set.check({
    ...{ name: ENVIRONMENT, preset, urls: [base], credential, flags: {}, added: today },
    models: [{ type: "llm", model: idOf(named), upstream_model: named }],
  });
}

type Asking = { key: LanguageModelSetting["key"]; signal: AbortSignal };

/** By what only servers of its kind answer. */
async function presetAt(base: string, asking: Asking): Promise<string> {
  if (await answers(base, "/api/version", asking)) return "ollama";
  return (await answers(base, "/props", asking)) ? "llama-cpp" : "openai";
}

/** Throws where there is no answer, so that the server is asked again. */
async function answers(base: string, path: string, { key, signal }: Asking): Promise<boolean> {
  const [address] = await resolveAll([base]);
  const headers = credentialHeaders({ auth: { header: "authorization", scheme: "Bearer" } }, key?.() ?? null);
  try {
    using _ = await openExchange(
      { path, method: "GET" },
      { address: address!, headers, timeouts: LIMITS, signal },
    );
    return true;
  } catch (error) {
    const { kind } = error as UpstreamFailure;
    if (kind === "unreachable" || kind === "late" || signal.aborted) throw error;
    return false;
  }
}

async function onlyModel(
  base: string,
  preset: ReturnType<typeof presetWith>,
  { key, signal }: Asking,
): Promise<string> {
  const [address] = await resolveAll([base]);
  const headers = credentialHeaders(preset, key?.() ?? null);
  const listed = await listModels(preset, { address: address!, headers, signal });
  const [only, ...others] = listed.map(({ id }) => id);
  if (only !== undefined && others.length === 0) return only;
  const what = only === undefined ? "no model" : `${listed.length} models`;
  throw new Error(`${base} lists ${what}: name one with LOQUAT_LLM_MODEL`);
}
