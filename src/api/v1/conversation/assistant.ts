/** Who a caller talks to, and how it speaks: its language model, and the model and the voice of its speech. */
import type { Principal } from "../../../accounts/principal.ts";
import type { LanguageModel } from "../../../engine/protocol/chat.ts";
import { Refusal, toRefusal } from "../../../errors.ts";
import { openStreamedSpeech, type StreamedServices } from "../../../metered/streamed-speech.ts";
import { type Catalogue, isTts } from "../../../models/catalogue.ts";
import { type ChosenSpeech, chooseSpeech } from "../../../models/choose.ts";
import { type Conversation as Definition, speakingModel } from "../../../models/conversation.ts";
import { firstVoice } from "../../../models/default-speech.ts";
import type { Interruption } from "../../../realtime/dialogue/interruption.ts";
import type { Output } from "../../../realtime/dialogue-effects.ts";
import type { Trace } from "../../../tracing/tracing.ts";
import type { SpeechBilling } from "../../../usage/live-billing.ts";
import { type OwnVoice, type OwnVoices, ownVoiceNamed } from "../../../voices/voices.ts";

/**
 * A conversation as its operator defined it, with its language model. `guesses`: whether that may be asked before it is
 * certain that the caller has finished, and loaded before it is asked.
 */
export type Assistant = Pick<Definition, "name" | "stt" | "tts" | "voice" | "instructions" | "greeting"> & {
  model: LanguageModel;
  interruption: Interruption;
  guesses: boolean;
};

export type VoiceServices = Omit<StreamedServices, "voices"> & { ownVoices: OwnVoices };

type ChosenVoice = { chosen: ChosenSpeech; ownVoice: OwnVoice | null };

/** Of one session. */
type Speaking = { billing: SpeechBilling; trace: Trace | null; request: string; organization: string };

export class AssistantVoice {
  readonly #services: VoiceServices;
  readonly #assistant: Assistant;
  readonly #catalogue: () => Catalogue;

  constructor(services: VoiceServices, assistant: Assistant, catalogue: () => Catalogue) {
    this.#services = services;
    this.#assistant = assistant;
    this.#catalogue = catalogue;
  }

  /** The id of its model. Refuses where none is installed. */
  #model(): string {
    const model = speakingModel(this.#catalogue(), this.#assistant);
    if (model !== null) return model;
    throw (
      this.#catalogue().permits?.nothing("model that speaks") ??
      new Refusal("model_unavailable", "This server has no model that speaks.", { param: "model" })
    );
  }

  /** The voice of a session that names none. */
  first(): string {
    if (this.#assistant.voice !== null) return this.#assistant.voice;
    const model = this.#model();
    const catalogue = this.#catalogue();
    const entry = catalogue.entries.filter(isTts).find(({ id }) => id === model);
    return entry ? firstVoice(catalogue, entry.manifest) : "";
  }

  /** Refuses what the model cannot speak with. */
  async choose(
    { voice, speed }: Pick<Output, "voice" | "speed">,
    principal: Principal,
  ): Promise<ChosenVoice> {
    const name = typeof voice === "string" ? voice : voice.id;
    try {
      const ownVoice = await ownVoiceNamed(this.#services.ownVoices, principal, name);
      const choice = { model: this.#model(), voice: name, format: "pcm", speed, streaming: false, ownVoice };
      return { chosen: chooseSpeech(this.#catalogue(), choice), ownVoice };
    } catch (error) {
      const { code, message, param, cause } = toRefusal(error);
      const field = param === "speed" ? "speed" : "voice";
      throw new Refusal(code, message, { param: `session.audio.output.${field}`, cause });
    }
  }

  open(
    { chosen, ownVoice }: ChosenVoice,
    { format, speed }: Output,
    { speaking, released, signal }: { speaking: Speaking; released: Promise<void>; signal: AbortSignal },
  ) {
    const { billing, trace, request, organization } = speaking;
    const { ownVoices, ...services } = this.#services;
    const claim = { urgency: "streaming", organization, request, signal, trace } as const;
    const manner = { language: null, speed, format };
    return openStreamedSpeech(
      { ...services, voices: ownVoices.voices },
      { chosen, ownVoice, ...manner, claim, billing, released },
    );
  }
}
