/** Another server that does the work of a harness, for harnesses that are to use one as their upstream. */
import { usesOf } from "../src/models/manifest.ts";
import type { Services } from "../src/server/services.ts";

let opened = 0;

/** LOQUAT_TEST_UPSTREAM=1: every harness of this run has its models from another server. */
export const isUpstreamAskedFor = (): boolean => Bun.env.LOQUAT_TEST_UPSTREAM === "1";

/** Where the packages of a harness are: its upstream has the same. */
export const placesIn = (environment: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(environment).filter(([name]) => /^LOQUAT_(MODELS|WEIGHTS|THREADS)$/.test(name)),
  );

type Behind = { url: string; key: string; parts: Pick<Services, "catalogue"> };

/** Has the front offer what the other server has, under the same ids; and forgets the key. */
export async function putBehind(
  { upstreamAdmin }: Pick<Services, "upstreamAdmin">,
  behind: Behind,
): Promise<Disposable & { definition: ReturnType<typeof definitionOf> }> {
  const variable = `LOQUAT_TEST_UPSTREAM_KEY_${opened++}`;
  process.env[variable] = behind.key;
  const definition = definitionOf(behind, variable);
  await upstreamAdmin.put(definition);
  return { definition, [Symbol.dispose]: () => void delete process.env[variable] };
}

/** All models and voices of a server, offered by another under the same ids. */
function definitionOf({ url, parts: { catalogue } }: Behind, env: string) {
  const models = catalogue.entries.flatMap(({ id, version }): object[] => {
    if (version === null) return [];
    const common = { model: id, upstream_model: id };
    if (version.type === "stt")
      return [
        {
          ...{ type: "stt", ...common },
          languages: version.recognition.engines.flatMap(({ languages }) => languages),
          realtime: usesOf(version).includes("realtime"),
        },
      ];
    const voices = version.voices.map(({ id, name, language, languages = [language], locale, gender }) => ({
      ...{ id, speaker: id, name, languages, locale, gender },
    }));
    return [{ type: "tts", ...common, voices }];
  });
  return {
    ...{
      name: "behind",
      preset: "loquat",
      urls: [url],
      flags: { health: null },
      added: "2026-11-23",
      models,
    },
    credential: { env },
  };
}
