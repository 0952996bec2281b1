/**
 * GET /jambonz/synthesize, a socket: the texts of one call, each written while it is spoken. jambonz keeps it open for the
 * call, and stops it where its caller interrupts.
 *
 *   <─ connect     stream stream flush   stream … ─>   <─ samples, one text after another
 *                  stop ─>               the rest is not spoken, and the socket closes
 */
import { Elysia } from "elysia";
import Type from "typebox";
import { isClientSecret } from "../../../accounts/secret.ts";
import { invalidInput, Refusal } from "../../../errors.ts";
import { checker } from "../../../schema.ts";
import { TransientSet } from "../../../transient.ts";
import { bearer, requireScope } from "../../middleware/caller.ts";
import { ignoredFieldsHeader } from "../../middleware/response-headers.ts";
import { chooseFor, type SpeechChoice } from "../dialect-speech.ts";
import { Query } from "../query.ts";
import type { SpeechSession, SpeechSocketDeps } from "../speech-session.ts";
import { type Message, type SpeechDialect, type SpeechPort, SpeechSocket } from "../speech-socket.ts";
import type { TextSpeaker } from "../text-speaker.ts";
import { errorMessage } from "./jambonz-errors.ts";
import { RATE } from "./prompt-speech.ts";
import { formatOf, voiceOf } from "./speech-request.ts";

const ENDPOINT = "/jambonz/synthesize";
const USED = ["model", "voice", "language", "sampleRate"];

/** A key, a voice and a rate that are wrong refuse the upgrade. */
export const callSpeech = (deps: SpeechSocketDeps) =>
  new Elysia().get(
    "/jambonz/synthesize",
    deps.sockets.handle(async (request, caller) => {
      const secret = bearer(request.headers);
      const query = new Query(request);
      const choice = choiceOf(query);
      await checkOpening(deps, secret, choice);
      return {
        protocol: null,
        headers: ignoredFieldsHeader(query.names().filter((name) => !USED.includes(name))),
        connect(socket) {
          const dialect = new TokenSpeech(secret, choice.format.sampleRate!);
          const anonymous = new TransientSet<never>();
          const opening = { ...caller, request, endpoint: ENDPOINT, choice: () => choice };
          return new SpeechSocket(deps, { ...opening, dialect, anonymous }, socket);
        },
      };
    }),
    { detail: { hide: true } }, // OpenAPI cannot describe a socket
  );

function choiceOf(query: Query): SpeechChoice {
  const [voice, language, model] = [query.text("voice"), query.text("language"), query.text("model")];
  const format = formatOf("l16", query.whole("sampleRate", RATE));
  return { ...voiceOf({ voice, language, model }), format };
}

/** A client secret counts as used once it is read: it is told on the socket. */
async function checkOpening(deps: SpeechSocketDeps, secret: string, choice: SpeechChoice): Promise<void> {
  if (isClientSecret(secret)) return;
  const principal = await deps.accounts.authenticate(secret);
  requireScope(principal, "speech:create");
  await chooseFor(deps, principal, choice);
}

const textMessage = checker(Type.Object({ type: Type.Literal("stream"), text: Type.String() }));

const MESSAGES = "Messages are stream, flush, stop and keepalive.";

class TokenSpeech implements SpeechDialect {
  readonly idleMs = null;
  readonly #secret: string;
  readonly #sampleRate: number;
  /** The one that text is added to, and the last character of it. */
  #open: TextSpeaker | null = null;
  #lastText = "";
  #last: Promise<void> = Promise.resolve();
  #session: SpeechSession | null = null;
  #port: SpeechPort | null = null;

  constructor(secret: string, sampleRate: number) {
    this.#secret = secret;
    this.#sampleRate = sampleRate;
  }

  secretOf = (): string => this.#secret;

  opened(session: SpeechSession, port: SpeechPort): void {
    this.#session = session;
    this.#port = port;
    port.send({ type: "connect", data: { sample_rate: this.#sampleRate, base64_encoding: false } });
  }

  receive(message: Message): void {
    switch (message.type) {
      case "stream":
        this.#write(message);
        break;
      case "flush":
        this.#flush();
        break;
      case "stop":
        this.#port!.close();
        break;
      case "keepalive":
        break;
      default: {
        const type = String(message.type).slice(0, 100);
        throw new Refusal("invalid_event", `There is no message ${type}. ${MESSAGES}`, { param: "type" });
      }
    }
  }

  /** jambonz trims the parts of a text, which it divides between words. */
  #write(message: Message): void {
    const { value, details } = textMessage.check(message);
    if (details !== null) throw invalidInput(details);
    this.#open ??= this.#begin();
    const isApart = this.#lastText === "" || /\s$/.test(this.#lastText) || /^\s/.test(value.text);
    this.#open.push(isApart ? value.text : ` ${value.text}`);
    this.#lastText = value.text.slice(-1) || this.#lastText;
  }

  #begin(): TextSpeaker {
    const { promise: over, resolve } = Promise.withResolvers<void>();
    this.#lastText = "";
    const released = this.#last;
    this.#last = over;
    return this.#session!.speak({
      ...{ speed: 1, released },
      spoke: (part) => {
        if (part.is === "sound" && part.bytes.length > 0) this.#port!.send(part.bytes);
      },
      ended: (error) => {
        if (error !== null) this.#port!.refuse(error);
        resolve();
      },
    });
  }

  #flush(): void {
    this.#open?.end();
    this.#open = null;
  }

  end(): void {
    this.#flush();
  }

  errorOf = (refusal: Refusal, id: string): object => errorMessage(refusal, id);
}
