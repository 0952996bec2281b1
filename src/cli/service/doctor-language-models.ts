/** What `loquat doctor` finds of language models: whether each writes a token, or what fails. */
import { languageModels } from "../../upstreams/definition.ts";
import { type Tried, tryLanguageModels } from "../../upstreams/operations.ts";
import { upstreamsWithEnvironment } from "../base/known-upstreams.ts";
import { printFinding } from "../base/output.ts";

type AskedModel = Tried & { upstream: string };

const LIMIT_MS = 150_000; // a server may load the model first

/** All upstreams at once. */
export async function examineLanguageModels(): Promise<AskedModel[]> {
  const set = await upstreamsWithEnvironment();
  const asked = set
    .list()
    .map(({ definition }) => definition)
    .filter((definition) => languageModels(definition).length > 0)
    .map(async (definition) => {
      const tried = await tryLanguageModels(set, definition, AbortSignal.timeout(LIMIT_MS));
      return tried.map((each) => ({ ...each, upstream: definition.name }));
    });
  return (await Promise.all(asked)).flat();
}

export function printLanguageModels(asked: AskedModel[]): void {
  for (const { model, upstream, ok, message } of asked)
    printFinding(`  ${ok ? "ready " : "failed"}   language model ${model} of ${upstream}: ${message}`);
}
