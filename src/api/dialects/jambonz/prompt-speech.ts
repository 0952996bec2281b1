/** POST /jambonz/synthesize: the speech of one text, which jambonz plays to a call. */
import { Elysia } from "elysia";
import Type from "typebox";
import { invalidInput } from "../../../errors.ts";
import { speak, speakWhole } from "../../../metered/speech.ts";
import { checker } from "../../../schema.ts";
import { isSsml } from "../../../speech/script/read-script.ts";
import { readJson } from "../../middleware/body/body.ts";
import type { MeteredCall } from "../../middleware/metering.ts";
import { ignoredFieldsHeader } from "../../middleware/response-headers.ts";
import { byteStream } from "../../middleware/stream.ts";
import { checkText, endingOf, type SpeechDeps, utteranceOf } from "../dialect-speech.ts";
import { Query } from "../query.ts";
import { acceptedKind, formatOf, KIND_NAMES, mediaTypeOf, voiceOf } from "./speech-request.ts";

const ROUTE = { endpoint: "/jambonz/synthesize", scope: "speech:create", bucket: "characters" } as const;

const name = Type.Optional(Type.Union([Type.String({ maxLength: 256 }), Type.Null()]));

const Prompt = Type.Object({
  text: Type.String({ maxLength: 100_000 }),
  type: Type.Optional(Type.Union([Type.Enum(["text", "ssml"]), Type.Null()])),
  language: name,
  voice: name,
  sampleRate: Type.Optional(Type.Union([Type.Integer({ minimum: 1, maximum: 768_000 }), Type.Null()])),
});
const prompt = checker(Prompt);

/** Of the address. */
const USED = ["model", "format", "sampleRate"];
export const RATE = { min: 1, max: 768_000 };

export const promptSpeech = (deps: SpeechDeps) =>
  new Elysia().post("/jambonz/synthesize", ({ request, set }) => synthesize(deps, { request, set }), {
    parse: "none",
    detail: { hide: true },
  });

function synthesize(deps: SpeechDeps, { request, set }: MeteredCall): Promise<Response> {
  return deps.metered({ request, set }, ROUTE, async (admitted) => {
    const query = new Query(request);
    const model = query.text("model");
    const kind = query.oneOf("format", KIND_NAMES) ?? acceptedKind(request.headers.get("accept")) ?? "mpeg";
    const body = await readJson(request, deps.timeouts);
    const { value, details } = prompt.check(body);
    if (details !== null) throw invalidInput(details);
    const format = formatOf(kind, value.sampleRate ?? query.whole("sampleRate", RATE));
    checkText(value.text);
    const utterance = await utteranceOf(deps, admitted, {
      ...voiceOf({ ...value, model }),
      format,
      text: value.type === "ssml" && !isSsml(value.text) ? `<speak>${value.text}</speak>` : value.text,
      streaming: kind !== "wav",
      body: [body, kind, model, format.sampleRate ?? null],
    });
    const unused = Object.keys(value).filter((field) => !Object.hasOwn(Prompt.properties, field));
    const ignored = [...unused, ...query.names().filter((each) => !USED.includes(each))];
    Object.assign(set.headers, ignoredFieldsHeader(ignored));
    const { chunks, end } = await spoken(deps, utterance, format);
    return byteStream(chunks, {
      mediaType: mediaTypeOf(kind, format),
      ...endingOf(deps, { id: admitted.id, utterance, end }),
    });
  });
}

/** WAV is complete before its first byte, which then tells its length. */
async function spoken(
  deps: SpeechDeps,
  utterance: Parameters<typeof speak>[1],
  format: ReturnType<typeof formatOf>,
) {
  if (format.format !== "wav") return speak(deps, utterance, { ...format, lengthFirst: false });
  const { body, end } = await speakWhole(deps, utterance, format);
  return { chunks: body.chunks(), end };
}
