/** The models and voices of the public API's catalogue. */
import { useQuery } from "@tanstack/react-query";
import type { Client } from "../lib/public-api.ts";

export type Model = { id: string; name: string };
export type Voice = { id: string; name: string; locale: string; gender: string };

export type CatalogueAccess = {
  client: Client;
  /** Identifies the client. */
  apiKey: string;
  /** Whether the key is known to work. */
  isReady: boolean;
};

export const useModels = (access: CatalogueAccess) => useList<Model>("/models?type=tts", access);

/** `model` is null until the models are known. */
export const useVoices = (model: string | null, { isReady, ...access }: CatalogueAccess) =>
  useList<Voice>(`/voices?model=${encodeURIComponent(model ?? "")}`, {
    ...access,
    isReady: isReady && model !== null,
  });

/** Empty until it is read. */
function useList<T>(path: string, { client, apiKey, isReady }: CatalogueAccess) {
  const { data, error } = useQuery({
    queryKey: ["playground", path, apiKey],
    queryFn: async (): Promise<T[]> => (await (await client(path)).json()).data,
    enabled: isReady,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return { data: data ?? [], error };
}
