/** The language model that the environment names. */
import { address, type Environment } from "./environment.ts";
import { type Secret, secret } from "./secrets.ts";

/** `model`, `api` null: asked of the server. `credential`: where its key is, whose value at start `key` has. */
export type LanguageModelSetting = {
  url: string;
  model: string | null;
  api: string | null;
  key: Secret | null;
  credential: { env: string } | { file: string } | null;
};

export function readLanguageModel(environment: Environment): LanguageModelSetting | null {
  const url = address(environment, "LOQUAT_LLM_URL");
  const key = secret(environment, "LOQUAT_LLM_KEY");
  const { LOQUAT_LLM_MODEL: model, LOQUAT_LLM_API: api, LOQUAT_LLM_KEY_FILE: file } = environment;
  if (url === null) return null;
  const credential = file === undefined ? { env: "LOQUAT_LLM_KEY" } : { file };
  return { url, model: model || null, api: api || null, key, credential: key && credential };
}
