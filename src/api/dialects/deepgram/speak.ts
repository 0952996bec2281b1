/** POST /v1/speak of Deepgram: speech, sent while it is made. */

import { Elysia } from "elysia";
import Type from "typebox";
import { mediaTypeOf } from "../../../audio/formats.ts";
import { invalidInput, Refusal } from "../../../errors.ts";
import { speak } from "../../../metered/speech.ts";
import { speechNamed } from "../../../models/default-speech.ts";
import { checker } from "../../../schema.ts";
import { readJson } from "../../middleware/body/body.ts";
import { labelInQuery } from "../../middleware/caller.ts";
import type { MeteredCall } from "../../middleware/metering.ts";
import { ignoredFieldsHeader } from "../../middleware/response-headers.ts";
import { byteStream } from "../../middleware/stream.ts";
import { checkText, endingOf, type SpeechDeps, utteranceOf } from "../dialect-speech.ts";
import { readSpeechQuery } from "./speech-query.ts";

const ROUTE = { endpoint: "/deepgram/v1/speak", scope: "speech:create", bucket: "characters" } as const;

const speakBody = checker(Type.Object({ text: Type.String({ maxLength: 100_000 }) }));

export const speakRoutes = (deps: SpeechDeps) =>
  new Elysia()
    .post("/deepgram/v1/speak", ({ request, set }) => speakText(deps, { request, set }), {
      parse: "none",
      detail: { hide: true },
    })
    .all(
      "/deepgram/v2/speak",
      () => {
        throw new Refusal("not_found", "Flux speech is not served here. Use /v1/speak.");
      },
      { parse: "none", detail: { hide: true } },
    );

function speakText(deps: SpeechDeps, { request, set }: MeteredCall): Promise<Response> {
  return deps.metered({ request, set }, ROUTE, async (admitted) => {
    const query = new URL(request.url).searchParams;
    const { name, ignored, ...asked } = readSpeechQuery(query);
    admitted.work.note({ label: labelInQuery(request) });
    const body = await readJson(request, deps.timeouts);
    const { value, details } = speakBody.check(body);
    if (details !== null) throw invalidInput(details);
    checkText(value.text);
    const utterance = await utteranceOf(deps, admitted, {
      ...asked,
      text: value.text,
      voice: name,
      language: null,
      named: (catalogue, ownVoice) => speechNamed(catalogue, { name, ownVoice, language: null }),
      streaming: true,
      body: [body, [...query]],
    });
    const { id } = admitted;
    const fields = Object.keys(value).filter((field) => field !== "text");
    Object.assign(set.headers, ignoredFieldsHeader([...ignored, ...fields]), {
      "dg-request-id": id,
      "dg-model-name": utterance.chosen.voice.id,
      "dg-char-count": String(utterance.read.characters),
    });
    const clip = await speak(deps, utterance, { ...asked.format, lengthFirst: false });
    return byteStream(clip.chunks, {
      mediaType: mediaTypeOf(asked.format),
      ...endingOf(deps, { id, utterance, end: clip.end }),
    });
  });
}
