/** The query of GET /v2/voices, and the page of voices that it asks for. Pure. */
import Type, { type Static } from "typebox";
import { Refusal } from "../../../errors.ts";
import { primaryLanguage } from "../../../language-tag.ts";
import { checker } from "../../../schema.ts";
import type { VoiceObject } from "./voice-object.ts";

const PAGE_MAX = 100;
const Word = Type.Optional(Type.String({ maxLength: 256 }));
const Words = Type.Optional(Type.Array(Type.String({ maxLength: 256 }), { maxItems: 100 }));

const Query = Type.Object({
  next_page_token: Word,
  page_size: Type.Optional(Type.Integer({ minimum: 1, maximum: PAGE_MAX })),
  search: Word,
  sort: Type.Optional(Type.Enum(["name", "created_at_unix"])),
  sort_direction: Type.Optional(Type.Enum(["asc", "desc"])),
  voice_type: Word,
  category: Word,
  gender: Word,
  age: Word,
  accent: Word,
  language: Words,
  use_cases: Words,
  voice_ids: Words,
});
const query = checker(Query);

export type VoiceSearch = Static<typeof Query>;

const PAGE_SIZE = 10; // as its clients are told

/** What has no meaning for these voices, such as collections, is not read. */
export function readVoiceSearch(parameters: URLSearchParams) {
  const fields = Object.fromEntries(
    Object.keys(Query.properties).flatMap((name) => {
      const values = parameters.getAll(name);
      if (values.length === 0) return [];
      return [[name, LISTS.has(name) ? values : fieldOf(name, values.at(-1)!)]];
    }),
  );
  return query.check(fields);
}

const LISTS = new Set(["language", "use_cases", "voice_ids"]);

const fieldOf = (name: string, value: string) => (name === "page_size" ? Number(value) : value);

export type VoicePage = {
  voices: VoiceObject[];
  has_more: boolean;
  total_count: number;
  next_page_token: string | null;
};

/** Voices that match everything that is asked, in order. A page begins behind the voice that its token names. */
export function voicePage(all: readonly VoiceObject[], search: VoiceSearch): VoicePage {
  const found = sorted(
    all.filter((voice) => matches(voice, search)),
    search,
  );
  const { next_page_token: token, page_size: size = PAGE_SIZE } = search;
  const start = token ? found.findIndex(({ voice_id }) => voice_id === token) + 1 : 0;
  if (token && start === 0)
    throw new Refusal("invalid_cursor", "next_page_token is none of the last page. Begin without it.", {
      param: "next_page_token",
    });
  const voices = found.slice(start, start + size);
  const hasMore = start + size < found.length;
  return {
    voices,
    has_more: hasMore,
    total_count: found.length,
    next_page_token: hasMore ? voices.at(-1)!.voice_id : null,
  };
}

/** Own voices come first; catalogue voices were always there. */
function sorted(voices: VoiceObject[], { sort, sort_direction: direction }: VoiceSearch): VoiceObject[] {
  if (sort === undefined) return voices;
  const order = (one: VoiceObject, other: VoiceObject) =>
    sort === "name"
      ? one.name.localeCompare(other.name)
      : (one.created_at_unix ?? 0) - (other.created_at_unix ?? 0);
  const sign = (direction ?? (sort === "name" ? "asc" : "desc")) === "asc" ? 1 : -1;
  return voices.toSorted((one, other) => sign * order(one, other));
}

const isSame = (one: string | undefined, other: string): boolean =>
  one?.toLowerCase() === other.toLowerCase();

function matches(voice: VoiceObject, search: VoiceSearch): boolean {
  const { labels } = voice;
  const { language, use_cases: useCases, voice_ids: ids } = search;
  const spoken = voice.verified_languages.map((each) => each.language);
  return (
    (["gender", "age", "accent"] as const).every(
      (name) => search[name] === undefined || isSame(labels[name], search[name]),
    ) &&
    (search.category === undefined || isSame(voice.category, search.category)) &&
    (search.voice_type === undefined || isOfType(voice, search.voice_type)) &&
    (language === undefined || language.some((each) => spoken.includes(primaryLanguage(each)))) &&
    (useCases === undefined || useCases.some((each) => isSame(labels.use_case, each))) &&
    (ids === undefined || ids.includes(voice.voice_id)) &&
    (search.search === undefined || hasText(voice, search.search))
  );
}

const OWN = new Set(["personal", "workspace", "non-default", "non-community", "saved"]);

/** There is no community: nothing is of it. */
const isOfType = ({ is_owner }: VoiceObject, type: string): boolean =>
  is_owner ? OWN.has(type) : type === "default";

function hasText({ name, description, labels, category }: VoiceObject, text: string): boolean {
  const asked = text.trim().toLowerCase();
  return [name, description ?? "", category, ...Object.values(labels)].some((each) =>
    each.toLowerCase().includes(asked),
  );
}
