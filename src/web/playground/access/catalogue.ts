/** The models and voices of the public API's catalogue. */
import { useQuery } from "@tanstack/react-query";
import type { Client } from "../../api/public-api.ts";
import { queryClient } from "../../api/queries.ts";

export type SpeechOptions = {
  response_formats: string[];
  streamable_formats: string[];
  background_formats: string[];
  speed: { min: number; max: number };
  instructions: boolean;
};

export type Model = {
  id: string;
  name: string;
  public_version: string;
  capabilities: string[];
  supported_languages: string[];
  /** Null for models that transcribe. */
  speech_options: SpeechOptions | null;
};

export type Voice = {
  id: string;
  name: string;
  language: string;
  locale: string;
  gender: string;
  metadata: { languages?: string[]; style?: string; description?: string };
};

/** How the playground calls the API. */
export type Access = {
  client: Client;
  /** Identifies the client. */
  apiKey: string;
  /** Whether the key is known to work. */
  isReady: boolean;
  /** Whose history this browser keeps. */
  owner: string;
};

export const useModels = (type: "tts" | "stt", access: Access) =>
  useList<Model>(`/models?type=${type}`, access);

/** `model` is null until the models are known. */
export const useVoices = (model: string | null, { isReady, ...access }: Access) =>
  useList<Voice>(`/voices?model=${encodeURIComponent(model ?? "")}`, {
    ...access,
    isReady: isReady && model !== null,
  });

/** Reads the lists again, after packages were installed or removed. */
export function refreshCatalogue(): void {
  const isList = (path: unknown) => typeof path === "string" && path.startsWith("/");
  void queryClient.invalidateQueries({
    predicate: ({ queryKey: [page, path] }) => page === "playground" && isList(path),
  });
}

/** Empty until it is read. */
function useList<T>(path: string, { client, apiKey, isReady }: Access) {
  const { data, error, isLoading } = useQuery({
    queryKey: ["playground", path, apiKey],
    queryFn: async (): Promise<T[]> => {
      const { data } = (await (await client(path)).json()) as { data: (T & { alias_of?: string })[] };
      return data.filter(({ alias_of }) => alias_of === undefined); // another name of a model that is listed
    },
    enabled: isReady,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return { data: data ?? NOTHING, error, isLoading };
}

/** One array, so that what depends on the list does not change before it is read. */
const NOTHING: never[] = [];
