/**
 * An open socket that speaks: whose it is, which voice speaks, what is paid for, and the texts under way.
 *
 *   key ─> scope ─> limits ─> credit ─> voice ─> texts, each paid for before its first byte
 */
import type { Principal } from "../../accounts/principal.ts";
import type { Claim } from "../../engine/runner.ts";
import type { Refusal } from "../../errors.ts";
import { languageOf } from "../../metered/speech.ts";
import type { SpokenPart } from "../../metered/streamed-speech.ts";
import { TransientMap } from "../../transient.ts";
import { SpeechBilling } from "../../usage/live-billing.ts";
import type { Work } from "../../usage/work.ts";
import { endUserIn, labelInQuery, requireScope, userAgentOf } from "../middleware/caller.ts";
import type { DialectServices } from "./dialect.ts";
import { type ChosenVoice, chooseFor, type SpeechChoice } from "./dialect-speech.ts";
import { TextSpeaker } from "./text-speaker.ts";

export type SpeechSocketDeps = Omit<DialectServices, "access" | "metered">;

/** `choice`: of the whole socket; throws what is wrong with it. `endpoint`: as the log of requests names it. */
export type SpeechOpening = {
  id: string;
  ip: string | null;
  request: Request;
  endpoint: string;
  choice(): SpeechChoice;
};

/** The socket's side. `room` resolves once the client has read enough. */
type Ports = {
  metered(work: Work): void;
  room(): Promise<void>;
  isOver(): boolean;
};

/** How a text is spoken, and what is told of it. `released`: nothing is sent or charged before. */
export type SpokenText = {
  speed: number;
  released?: Promise<void>;
  spoke(part: SpokenPart): void;
  /** Once; null: all of it was spoken, or it was stopped. */
  ended(error: unknown): void;
};

export async function openSpeechSession(
  deps: SpeechSocketDeps,
  opening: SpeechOpening & { secret: string },
  ports: Ports,
): Promise<SpeechSession> {
  const principal = await deps.accounts.authenticate(opening.secret);
  const work = meter(deps, opening, principal);
  ports.metered(work);
  work.note({ label: labelInQuery(opening.request) });
  requireScope(principal, "speech:create");
  await work.admit();
  const choice = opening.choice();
  const voice = await chooseFor(deps, principal, choice);
  const { chosen } = voice;
  const { format } = choice.format;
  const language = languageOf({ language: choice.language, chosen });
  work.note({ model: chosen.model, voice: chosen.voice.id, language, responseFormat: format, stream: true });
  work.noteProgress(101);
  return new SpeechSession(deps, { id: opening.id, principal, work, choice, voice, ports });
}

function meter({ meter, tracing }: SpeechSocketDeps, opening: SpeechOpening, principal: Principal): Work {
  const { id, ip, endpoint, request } = opening;
  const about = { id, endpoint, method: "WS" };
  const trace = tracing?.open(about, request) ?? null;
  return meter.open({
    ...about,
    principal,
    ip,
    userAgent: userAgentOf(request),
    endUser: endUserIn(request, principal.endUserHeader),
    trace,
    bucket: "characters",
  });
}

type Opened = {
  id: string;
  choice: SpeechChoice;
  principal: Principal;
  work: Work;
  voice: ChosenVoice;
  ports: Ports;
};

export class SpeechSession {
  readonly principal: Principal;
  readonly work: Work;
  readonly voice: ChosenVoice;
  readonly #deps: SpeechSocketDeps;
  readonly #opened: Opened;
  readonly #billing: SpeechBilling;
  readonly #running = new TransientMap<TextSpeaker, Promise<void>>();
  #turn = Promise.resolve();
  #audioMs = 0;

  constructor(deps: SpeechSocketDeps, opened: Opened) {
    this.#deps = deps;
    this.#opened = opened;
    this.principal = opened.principal;
    this.work = opened.work;
    this.voice = opened.voice;
    this.#billing = new SpeechBilling(opened.work);
  }

  /** Whether all that was gathered is spoken. */
  get isIdle(): boolean {
    return [...this.#running.keys()].every(({ isIdle }) => isIdle);
  }

  speak({ speed, released = Promise.resolve(), spoke, ended }: SpokenText): TextSpeaker {
    const { synthesizer, pronunciations, ownVoices } = this.#deps;
    const { choice, voice } = this.#opened;
    const { language, format } = choice;
    const speaker = new TextSpeaker({
      services: { synthesizer, pronunciations, voices: ownVoices.voices },
      manner: {
        ...voice,
        ...{ language, speed, format, released },
        billing: this.#billing,
        turn: this.#next,
      },
      claim: this.#claim(),
      spoke: (part) => this.#send(part, spoke),
    });
    const running = speaker.run().then(() => ended(null), ended);
    this.#running.set(
      speaker,
      running.finally(() => this.#running.delete(speaker)),
    );
    return speaker;
  }

  #claim(): Omit<Claim, "signal"> {
    const { id, principal, work } = this.#opened;
    const { organizationId: organization } = principal;
    return { urgency: "streaming", organization, request: id, trace: work.trace };
  }

  async #send(part: SpokenPart, spoke: SpokenText["spoke"]): Promise<void> {
    const { ports, work } = this.#opened;
    await ports.room();
    if (ports.isOver()) return;
    if (part.is === "sound") {
      this.#audioMs += part.ms;
      work.started();
    }
    spoke(part);
  }

  /** Texts are paid for and sent one after another. */
  #next = async (): Promise<() => void> => {
    const before = this.#turn;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#turn = promise;
    await before;
    return resolve;
  };

  /** Resolves once everything that was asked for is spoken. */
  async spoken(): Promise<void> {
    await Promise.all(this.#running.values());
  }

  /** Everything ends at once; `reason`: a refusal, where the server ends it. */
  async stop(reason?: Refusal): Promise<void> {
    for (const speaker of this.#running.keys()) speaker.stop(reason);
    await this.spoken();
    this.work.note({ audioSeconds: this.#audioMs / 1000 });
  }
}
