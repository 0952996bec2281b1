/** The upstreams of this installation, for commands that run without a server: of the folder, the database and the environment. */
import { systemClock } from "../../clock.ts";
import { readConfig } from "../../config/config.ts";
import { environmentModel } from "../../upstreams/environment-model.ts";
import { dayOf } from "../../upstreams/operations.ts";
import { openUpstreamSet, type UpstreamSet } from "../../upstreams/upstreams.ts";
import { note } from "./output.ts";
import { storedUpstreams } from "./stored-upstreams.ts";

const ASK_MS = 5000;

/** What cannot be used is left out, with a note. */
export async function knownUpstreams(): Promise<UpstreamSet> {
  const set = openUpstreamSet(readConfig().models.folder);
  for (const fault of set.use(await storedUpstreams())) note(`An upstream cannot be used: ${fault}`);
  return set;
}

/** With the language model that the environment names, whose server is asked. */
export async function upstreamsWithEnvironment(): Promise<UpstreamSet> {
  const set = await knownUpstreams();
  const { languageModel } = readConfig();
  if (languageModel === null) return set;
  try {
    const asking = { set, today: dayOf(systemClock) };
    const definition = await environmentModel(languageModel, asking, AbortSignal.timeout(ASK_MS));
    for (const fault of set.addFromEnvironment(definition)) note(`An upstream cannot be used: ${fault}`);
  } catch (error) {
    note(`The language model of LOQUAT_LLM_URL is left out: ${(error as Error).message}`);
  }
  return set;
}
