/** What operators do with upstreams beside editing them: adding one by what its server lists, and trying its models. */

import { ASR_SAMPLE_RATE, TTS_SAMPLE_RATE } from "../audio/rates.ts";
import type { Clock } from "../clock.ts";
import { type Config, readCredential } from "../config/config.ts";
import type { ChatRequest, LanguageModel } from "../engine/protocol/chat.ts";
import type { SynthesisTask } from "../engine/protocol/synthesis.ts";
import { samplesOf } from "../engine/protocol/synthesis.ts";
import { type Engine, openRegistry } from "../engine/registry.ts";
import { type Claim, soleClaim } from "../engine/runner.ts";
import { readManifests } from "../models/manifest.ts";
import { readPackages } from "../models/packages/package.ts";
import { recognize } from "../transcription/recognize.ts";
import {
  type Definition,
  engineModels,
  engineName,
  languageModels,
  type UpstreamModel,
} from "./definition.ts";
import { discovered, type NewUpstream } from "./discovered-definition.ts";
import type { UpstreamAdmin } from "./edits.ts";
import { openLiveUpstreams, type UpstreamSet } from "./upstreams.ts";

/** How long a server may take to list its models and voices. */
export const DISCOVERY_MS = 30_000;

const TEXT = "This is a test.";

/** The outcome of one request to a model. */
export type Tried = { model: string; ok: boolean; message: string };

export type UpstreamOperations = {
  /** Asks the server for its models and voices, and puts them in force. Refuses what cannot be used by its field. */
  add(upstream: NewUpstream): Promise<Definition>;
  /** Sends each model one request, until the signal. Null: there is no such upstream. */
  attempt(name: string, signal: AbortSignal): Promise<Tried[] | null>;
};

type Operated = { set: UpstreamSet; admin: Pick<UpstreamAdmin, "put">; clock: Clock };

export function openUpstreamOperations(
  { models: { folder } }: Config,
  { set, admin, clock }: Operated,
): UpstreamOperations {
  return {
    async add(upstream) {
      const known = { ...knownFrom(folder), credential: readCredential, today: dayOf(clock) };
      return admin.put(await discovered(upstream, { set, ...known }, AbortSignal.timeout(DISCOVERY_MS)));
    },
    async attempt(name, signal) {
      const found = set.list().find(({ definition }) => definition.name === name);
      return found ? tryUpstream(set, found.definition, signal) : null;
    },
  };
}

/** What the catalogue's folder says of models that upstreams serve. */
export function knownFrom(folder: string) {
  const packages = readPackages(folder);
  return {
    shipped: readManifests(folder, packages.keys()),
    whisperLanguages: packages.get("whisper-base")?.recognition?.[0]?.languages ?? [],
  };
}

export const dayOf = (clock: Clock): string => new Date(clock.now()).toISOString().slice(0, 10);

/** Without fallbacks. Models that were not tried before the signal have failed. */
export async function tryUpstream(
  set: UpstreamSet,
  definition: Definition,
  signal = new AbortController().signal,
): Promise<Tried[]> {
  const reasons: string[] = [];
  await using live = openLiveUpstreams(set, (_name, { message }) => reasons.push(message));
  await using registry = openRegistry((name) => live.spec(name)!);
  const results: Tried[] = [];
  for (const entry of engineModels(definition)) {
    const engine = registry.engine(engineName(definition, entry));
    const begunMs = performance.now();
    const result = await tryModel(engine, entry, soleClaim(signal)).then(
      (message) => ({ ok: true, message: `${message} in ${Math.round(performance.now() - begunMs)} ms` }),
      (error: Error) => ({ ok: false, message: reasons.splice(0).at(-1) ?? error.message }),
    );
    results.push({ model: entry.model, ...result });
  }
  return [...results, ...(await tryLanguageModels(set, definition, signal))];
}

/** Asks each for an answer, and reads no more of it than its first token. */
export async function tryLanguageModels(
  set: UpstreamSet,
  definition: Definition,
  signal: AbortSignal,
): Promise<Tried[]> {
  await using live = openLiveUpstreams(onlyLanguageModelsOf(set, definition));
  const results: Tried[] = [];
  for (const { model } of languageModels(definition))
    results.push({ model, ...(await tryLanguageModel(live.languageModel(model)!, signal)) });
  return results;
}

/** An id of it may be another upstream's too. */
export const onlyLanguageModelsOf = (set: UpstreamSet, { name }: Definition): UpstreamSet => ({
  ...set,
  languageModels: () => set.languageModels().filter(({ definition }) => definition.name === name),
});

const QUESTION: ChatRequest = {
  messages: [{ role: "user", content: "Say yes." }],
  ...{
    tools: [],
    toolChoice: "auto",
    parallelCalls: true,
    maxTokens: 16,
    temperature: null,
    reasoning: null,
  },
};

async function tryLanguageModel(model: LanguageModel, signal: AbortSignal): Promise<Omit<Tried, "model">> {
  const begunMs = performance.now();
  try {
    signal.throwIfAborted();
    for await (const event of model.chat(QUESTION, signal)) if (event.is === "text") break;
    return { ok: true, message: `answered in ${Math.round(performance.now() - begunMs)} ms` };
  } catch (error) {
    return { ok: false, message: reasonOf(error) };
  }
}

/** The server's own words, where there are some. */
const reasonOf = (error: unknown): string =>
  error instanceof Error && error.cause instanceof Error ? error.cause.message : (error as Error).message;

async function tryModel(engine: Engine, entry: UpstreamModel, claim: Claim): Promise<string> {
  claim.signal.throwIfAborted();
  if (entry.type === "stt") {
    const samples = Float32Array.from({ length: ASR_SAMPLE_RATE / 2 }, (_, i) => 0.1 * Math.sin(i / 9));
    const recording = { samples, spans: null, language: entry.languages[0]!, prompt: "", claim };
    await Array.fromAsync(recognize(engine, recording));
    return "half a second recognized";
  }
  const voice = entry.voices[0]!;
  const task: SynthesisTask = {
    kind: "synthesis",
    ...{ text: TEXT, speaker: voice.speaker, language: voice.languages[0]!, speed: 1, instructions: "" },
  };
  const samples = samplesOf(await engine.run(task, claim));
  return `${(samples.length / TTS_SAMPLE_RATE).toFixed(2)} seconds spoken by ${voice.id}`;
}
