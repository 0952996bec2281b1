/** Which models and voices a server lists, in the shapes that servers answer. */

import { languageCode } from "./dialects/language-styles.ts";
import type { Preset } from "./dialects/preset.ts";
import { openExchange, readJson } from "./transport/exchange.ts";
import type { Address } from "./transport/resolve-names.ts";

/** Null where the list does not say. */
export type ListedModel = {
  id: string;
  type: "tts" | "stt" | null;
  languages: string[];
  realtime?: boolean;
};
export type ListedVoice = {
  id: string;
  name: string;
  language: string | null;
  locale: string | null;
  models: string[];
};

const LIMITS = { firstByteMs: 10_000, betweenBytesMs: 10_000, wholeMs: 20_000 };
const LISTED_MAX = 1000;
const LIST_BYTES_MAX = 4 * 1024 * 1024;

type Asking = { address: Address; headers: Record<string, string>; signal: AbortSignal };

/** Empty where the preset has no such list. Throws `UpstreamFailure`. */
export async function listModels({ models_path }: Preset, asking: Asking): Promise<ListedModel[]> {
  return models_path === null ? [] : modelsIn(await get(models_path, asking));
}

export async function listVoices({ voices_path }: Preset, asking: Asking): Promise<ListedVoice[]> {
  return voices_path === null ? [] : voicesIn(await get(voices_path, asking));
}

async function get(path: string, asking: Asking): Promise<unknown> {
  using exchange = await openExchange({ path, method: "GET" }, { ...asking, timeouts: LIMITS });
  return await readJson(exchange, LIST_BYTES_MAX); // or it would be closed before
}

/** Of `data`, or of `models`. @internal */
export function modelsIn(answer: unknown): ListedModel[] {
  const listed = listIn(answer, ["data", "models"]);
  return listed.slice(0, LISTED_MAX).flatMap((entry) => {
    const model = typeof entry === "string" ? { id: entry } : recordOf(entry);
    const id = model.id ?? model.name;
    if (typeof id !== "string" || id === "") return [];
    const languages = listIn(model, ["supported_languages", "languages", "language"]);
    const capabilities = listIn(model, ["capabilities"]);
    return [
      {
        id,
        type: typeOf(model),
        languages: languages.flatMap((each) => languageCode(String(each)) ?? []),
        ...(capabilities.length > 0 ? { realtime: capabilities.includes("realtime") } : {}),
      },
    ];
  });
}

function typeOf({ type, task }: Record<string, unknown>): ListedModel["type"] {
  const named = `${type ?? ""} ${task ?? ""}`.toLowerCase();
  if (/\btts\b|text-to-speech|text-to-audio/.test(named)) return "tts";
  return /\bstt\b|speech-recognition|transcription/.test(named) ? "stt" : null;
}

/** Names, objects with `id` or `name`, or lists of them by locale. @internal */
export function voicesIn(answer: unknown): ListedVoice[] {
  const listed = listIn(answer, ["voices", "data"]);
  if (listed.length > 0) return listed.slice(0, LISTED_MAX).flatMap((entry) => voiceOf(entry, null));
  return Object.entries(recordOf(answer)).flatMap(([locales, entry]) => {
    const locale = locales.split(",")[0]!.trim();
    return listIn(entry, ["voices"]).flatMap((each) => voiceOf(each, locale));
  });
}

function voiceOf(entry: unknown, locale: string | null): ListedVoice[] {
  const voice = typeof entry === "string" ? { id: entry } : recordOf(entry);
  const id = [voice.id, voice.voice_id, voice.name].find((each) => typeof each === "string" && each !== "");
  if (id === undefined) return [];
  const spoken = [voice.locale, voice.language, locale].find((each) => typeof each === "string") ?? null;
  const models = listIn(recordOf(voice.metadata), ["models"]).map(String);
  return [
    {
      id: String(id),
      name: String(voice.name ?? id),
      language: spoken === null ? null : languageCode(String(spoken)),
      locale: spoken !== null && /^[a-z]{2,3}(-[A-Za-z0-9]+)+$/.test(String(spoken)) ? String(spoken) : null,
      models,
    },
  ];
}

const recordOf = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};

/** The first of these fields that is a list; the value itself where it is one. */
function listIn(value: unknown, fields: readonly string[]): unknown[] {
  if (Array.isArray(value)) return value;
  const record = recordOf(value);
  return fields.map((field) => record[field]).find((each) => Array.isArray(each)) ?? [];
}
