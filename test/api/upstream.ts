/** A server whose engines are another server's: for suites that a server passes at two hops as it does alone. */
import { type Harness, type HarnessOptions, openHarness } from "../harness.ts";

const KEY_VARIABLE = "LOQUAT_TEST_UPSTREAM_KEY";

/** All models and voices of a server, offered by another under the same ids. */
export function definitionOf({ url, parts: { catalogue } }: Harness) {
  const models = catalogue.entries.flatMap(({ id, version }): object[] => {
    if (version === null) return [];
    const common = { model: id, upstream_model: id };
    if (version.type === "stt")
      return [
        { type: "stt", ...common, languages: version.hearing.engines.flatMap(({ languages }) => languages) },
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
    credential: { env: KEY_VARIABLE },
  };
}

/** `behind`: the server that does the work. */
export async function openTwoHops(options: HarnessOptions = {}): Promise<Harness & { behind: Harness }> {
  const behind = await openHarness();
  const front = await openHarness(options);
  process.env[KEY_VARIABLE] = behind.key;
  await front.parts.upstreamAdmin.put(definitionOf(behind));
  return {
    ...front,
    behind,
    async [Symbol.asyncDispose]() {
      await front[Symbol.asyncDispose]();
      await behind[Symbol.asyncDispose]();
      delete process.env[KEY_VARIABLE];
    },
  };
}
