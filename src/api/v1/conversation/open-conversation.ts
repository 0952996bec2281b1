/**
 * Opens a conversation, where the model that a client names holds one.
 *
 *   socket ─> events ─> session (turns, words) ─> dialogue ─> language model ─> speech ─> socket
 */
import type { Principal } from "../../../accounts/principal.ts";
import { Refusal, toRefusal } from "../../../errors.ts";
import type { Metrics } from "../../../metrics/metrics.ts";
import { type Catalogue, isStt } from "../../../models/catalogue.ts";
import type { ChosenRecognition } from "../../../models/choose.ts";
import { knownLanguage } from "../../../models/choose-engine.ts";
import type { CatalogueFor } from "../../../models/live-catalogue.ts";
import { Dialogue } from "../../../realtime/dialogue/dialogue.ts";
import { type DialoguePorts, DialogueRunner } from "../../../realtime/dialogue/dialogue-runner.ts";
import {
  changedDialogue,
  conversationObject,
  type DialogueSettings,
  dialogueDefaults,
} from "../../../realtime/dialogue/dialogue-settings.ts";
import type { ServerEvent } from "../../../realtime/events.ts";
import { Outbox } from "../../../realtime/outbox.ts";
import { Session } from "../../../realtime/session.ts";
import { SessionRunner } from "../../../realtime/session-runner.ts";
import { RequestPoints, ResponseBilling, SpeechBilling, StreamBilling } from "../../../usage/live-billing.ts";
import { requireScope } from "../../middleware/caller.ts";
import {
  type Admitted,
  type LiveSession,
  type OpenConversation,
  type OpeningDeps,
  timingOf,
} from "../realtime/live-session.ts";
import { priceOf, recognizerOf, resolveSettings } from "../realtime/settings-schema.ts";
import { type Assistant, AssistantVoice, type VoiceServices } from "./assistant.ts";
import { betaEvent } from "./beta-names.ts";
import { conversationError, endsConversation } from "./conversation-errors.ts";
import { applyConversationEvent, type Conversing } from "./conversation-events.ts";
import { type ConversationUpdate, keptSettings, readConversationUpdate } from "./conversation-schema.ts";
import { parseConversationFrame } from "./long-frames.ts";
import { measuring } from "./measurements.ts";

export type ConversationDeps = VoiceServices & {
  metrics: Metrics;
  assistants: {
    /** `isOfOthers`: other APIs give the name to models that converse. Null: there is none of the name. */
    find(name: string, isOfOthers: boolean): Assistant | null;
    names(): string[];
  };
};

/** Sound, or text where nothing is spoken, also by its name in the beta. */
const ANSWERS = /^response\.(?:output_)?(?:audio|text)\.delta$/;
const GREETING_MS = 300; // a client that sets the session first hears the greeting with its settings
const REFUSED_MAX = 50; // in a row

/** A client that names no model which holds conversations, or asks to only transcribe, gets none. */
export const conversations =
  (deps: ConversationDeps): OpenConversation =>
  (opening, admitted) =>
    openConversation(deps, opening, admitted);

async function openConversation(
  deps: ConversationDeps,
  opening: OpeningDeps,
  admitted: Admitted,
): Promise<LiveSession | null> {
  const { principal, stored } = admitted;
  const { model, shape } = admitted.opening;
  if (shape.intent) return null;
  const catalogue = () => opening.catalogueFor(principal);
  const conversation = await conversationOf(deps, catalogue, { principal, session: stored, model });
  return conversation && converse({ ...opening, metrics: deps.metrics }, admitted, conversation);
}

/** `model`: named beside the settings; null: not. */
type Named = { principal: Principal; session: object; model: string | null };

/** Who is talked to, and how, by the settings of a client. Null: they do not ask for a conversation. Throws where they may not be. */
async function conversationOf(
  deps: ConversationDeps,
  catalogue: () => Catalogue,
  { principal, session, model }: Named,
): Promise<Conversation | null> {
  const stored = session as { model?: unknown; type?: unknown };
  const name = model ?? (typeof stored.model === "string" ? stored.model : null);
  if (name === null || stored.type === "transcription") return null;
  const assistant = deps.assistants.find(name, catalogue().names.session(name) !== null);
  if (assistant === null) return refuseUnknown(name, catalogue(), deps.assistants.names());
  requireScope(principal, "speech:create");
  catalogue().permits?.checkModel(assistant.name, name);
  const voice = new AssistantVoice(deps, assistant, catalogue);
  const { instructions, interruption } = assistant;
  const defaults = dialogueDefaults({ voice: voice.first(), instructions, interruption });
  if (assistant.stt !== null)
    defaults.listening = {
      ...defaults.listening,
      transcription: { ...defaults.listening.transcription, model: assistant.stt },
    };
  const update = readConversationUpdate({ session: { ...session, type: "realtime" } });
  const resolved = resolveUpdate(catalogue(), defaults, update);
  await voice.choose(resolved.settings.output, principal);
  return { name, assistant, voice, catalogue, resolved };
}

/** Names of models are left to sessions that only transcribe, as is every name where there are no conversations. */
function refuseUnknown(name: string, { find, entries, names }: Catalogue, conversations: string[]): null {
  if (conversations.length === 0 || find(name) !== null || names.session(name) !== null) return null;
  const models = entries.filter(isStt).map(({ id }) => id);
  const accepted = `Conversations: ${conversations.join(", ")}. STT models: ${models.join(", ") || "none"}.`;
  throw new Refusal("invalid_model", `${name} is neither a conversation nor an STT model. ${accepted}`, {
    param: "model",
  });
}

/**
 * The settings of a client secret as they are kept, and as its sessions begin with them; null: they do not ask for a
 * conversation.
 */
export type DescribeConversation = (
  principal: Principal,
  session: object,
) => Promise<{ kept: object; described: object } | null>;

export const describeConversation =
  (deps: ConversationDeps, catalogueFor: CatalogueFor): DescribeConversation =>
  async (principal, session) => {
    const catalogue = () => catalogueFor(principal);
    const conversation = await conversationOf(deps, catalogue, { principal, session, model: null });
    if (conversation === null) return null;
    const { name, resolved } = conversation;
    const described = conversationObject(resolved.settings, { id: "", expiresAt: 0, model: name });
    return { kept: keptSettings(session), described };
  };

type Resolved = { settings: DialogueSettings; chosen: ChosenRecognition };

/** The settings after an update, and the engine that listens. Throws where the catalogue has none. */
function resolveUpdate(
  catalogue: Catalogue,
  before: DialogueSettings,
  { change, listening }: ConversationUpdate,
): Resolved {
  const asked = { ...listening, transcribes: true };
  const resolved = resolveSettings(catalogue, before.listening, asked);
  return {
    settings: { ...changedDialogue(before, change), listening: resolved.settings },
    chosen: resolved.chosen,
  };
}

/** `name`: of the assistant, as the client gave it. */
type Conversation = {
  name: string;
  assistant: Assistant;
  voice: AssistantVoice;
  catalogue: () => Catalogue;
  resolved: Resolved;
};

type ConversingDeps = OpeningDeps & Pick<ConversationDeps, "metrics">;

function converse(opening: ConversingDeps, admitted: Admitted, conversation: Conversation): LiveSession {
  const { principal, work } = admitted;
  const { assistant, voice, catalogue, resolved } = conversation;
  const { dialogue, session, runner } = openParts(opening, admitted, conversation);
  const speaking = {
    ...{ billing: new SpeechBilling(work), trace: work.trace },
    ...{ request: admitted.opening.id, organization: principal.organizationId },
  };
  const responses = new ResponseBilling(work, assistant.model);
  const measured = measuring({
    ...{ metrics: opening.metrics, trace: work.trace, model: assistant.model.model },
  });
  const refuse = (error: unknown) => {
    const refusal = toRefusal(error);
    admitted.connection.failed(refusal);
    runner.perform(session.end(refusal));
  };
  const ports: DialoguePorts = {
    ...{ unreadBytes: admitted.connection.unreadBytes, failed: admitted.connection.failed },
    ...{ counted: measured.counted, points: new RequestPoints(work) },
    over(outcome) {
      measured.over(outcome);
      responses.ended(outcome.tokens).catch(refuse);
    },
    async *chat(request, signal) {
      await responses.admit();
      yield* assistant.model.chat(request, signal);
    },
    async speak(output, manner) {
      const spoken = await voice.choose(output, principal);
      work.note({ voice: spoken.chosen.voice.id });
      return voice.open(spoken, output, { speaking, ...manner });
    },
    warm: async (request, signal) => {
      if (assistant.guesses) await assistant.model.warm(request, signal);
    },
  };
  runner.answerer = new DialogueRunner(dialogue, ports, {
    step: (step) => runner.step(step),
    end: (refusal) => runner.perform(session.end(refusal)),
  });
  work.note({ model: assistant.name, language: knownLanguage(resolved.chosen), stream: true });
  work.noteProgress(101);
  const billing = new StreamBilling(work, priceOf(resolved.chosen));
  const conversing: Conversing = {
    ...{ session, dialogue, runner, billing, sees: assistant.model.vision },
    unreadBytes: admitted.connection.unreadBytes,
    async checkOutput({ settings }) {
      if (settings.output) await voice.choose({ ...dialogue.settings.output, ...settings.output }, principal);
    },
    async update(update) {
      const { settings, chosen } = resolveUpdate(catalogue(), dialogue.settings, update);
      if (update.change.output) await voice.choose(settings.output, principal);
      await billing.change(priceOf(chosen), session.billableSeconds(false));
      runner.recognizer = recognizerOf(chosen, settings.listening);
      dialogue.next = settings;
      runner.perform(session.update(settings.listening, chosen.assumedLanguage, "session.updated"));
      greet();
    },
  };
  const greet = greeter(assistant.greeting, (text) => {
    if (!session.isEnding) runner.step(() => dialogue.greet(text));
  });
  let refusedInRow = 0;
  return {
    ...{ session, runner, work, billing, principal, parse: parseConversationFrame },
    async apply(event, context) {
      await applyConversationEvent(conversing, event, context);
      refusedInRow = 0;
    },
    answers: (type) => ANSWERS.test(type),
    settled: () => responses.settled(),
    forgives: (refusal) => !endsConversation(refusal) && ++refusedInRow < REFUSED_MAX,
  };
}

/** Greets when it is called or after a while, once. */
function greeter(text: string | null, say: (text: string) => void): () => void {
  if (text === null) return () => {};
  let isDue = true;
  const greet = () => {
    clearTimeout(timer);
    if (isDue) say(text);
    isDue = false;
  };
  const timer = setTimeout(greet, GREETING_MS);
  return greet;
}

function openParts(
  { vadStreams, live, turnDetector, clock }: OpeningDeps,
  { opening, principal, sessionId, expiresAt, connection, work, holding: memory }: Admitted,
  { name, assistant, resolved: { settings, chosen } }: Conversation,
) {
  const { guesses, model } = assistant;
  const manner = { guesses, errorFields: conversationError };
  const identity = { id: sessionId, expiresAt, model: name, ...manner };
  const out = new Outbox(sessionId);
  const language = chosen.assumedLanguage;
  const dialogue = new Dialogue(identity, out, {
    ...{ settings, language, memory, now: () => performance.now() },
  });
  const countsSilence = principal.plan === "prepaid"; // its contract says so
  const session = new Session(settings.listening, { front: dialogue, out, countsSilence });
  const send = opening.shape.beta ? byBetaNames(connection.send) : connection.send;
  const client = { ...connection, send, organization: principal.organizationId };
  const runner = new SessionRunner(
    { session, vadStreams, recognizer: live, turnDetector, client, timing: timingOf(work, clock) },
    recognizerOf(chosen, settings.listening),
  );
  void model.contextTokens().then(
    (tokens) => {
      dialogue.answering.context.limit = tokens;
    },
    () => {}, // asked again when it answers
  );
  return { dialogue, session, runner };
}

const byBetaNames = (send: (event: ServerEvent) => void) => (event: ServerEvent) => {
  const named = betaEvent(event);
  if (named) send(named);
};
