/** POST /v1/speech-to-text: a form with a recording in, its transcript out. */
import { Elysia } from "elysia";
import type { Holding } from "../../../memory/budget.ts";
import { readUpload, type Upload } from "../../middleware/body/upload.ts";
import type { Admitted, MeteredCall } from "../../middleware/metering.ts";
import type { DialectServices } from "../dialect.ts";
import { fetchRecording } from "../fetched-recording.ts";
import { unsupported } from "../query.ts";
import { headerOf } from "../raw-audio.ts";
import { hear } from "../recordings.ts";
import { scribeBody } from "./scribe-body.ts";
import { addressIn, noFile, readScribeForm } from "./scribe-form.ts";

const ROUTE = {
  endpoint: "/elevenlabs/v1/speech-to-text",
  scope: "transcription:create",
  bucket: "seconds",
} as const;

export const scribeFile = (services: DialectServices) =>
  new Elysia().post(
    "/elevenlabs/v1/speech-to-text",
    ({ request, set }) => {
      const call = { request, set };
      return services.metered(call, ROUTE, (admitted) => answer(services, call, admitted));
    },
    { parse: "none", detail: { hide: true } },
  );

async function answer(services: DialectServices, call: MeteredCall, admitted: Admitted): Promise<Response> {
  const { catalogueFor, timeouts } = services;
  const { id, holding, principal } = admitted;
  using upload = await readUpload(call.request, { timeouts, holding, noFile });
  const { granularity, formats, isRaw, ...asked } = readScribeForm(upload.text);
  const named = addressIn(upload.text);
  if (named && upload.file.length > 0)
    throw unsupported(named.param, "the form has a file. Send the file, or its address.");
  using fetched = named
    ? await fetchRecording(services.guard, named.address, {
        ...{ holding, signal: admitted.signal, param: named.param, header: null },
      })
    : null;
  const received = fetched ?? upload;
  const recording = isRaw ? withHeader(received, holding) : received;
  const catalogue = catalogueFor(principal);
  const heard = await hear(services, { call, admitted, catalogue, upload: recording, asked });
  return Response.json(scribeBody(heard, { id, granularity, formats }));
}

/** Raw samples, copied behind the header of a recording. */
function withHeader(upload: Upload, holding: Holding): Upload {
  const header = headerOf({ encoding: "linear16", sampleRate: 16_000, channels: 1 });
  holding.take(header.length + upload.file.length);
  return { ...upload, file: Buffer.concat([header, upload.file]) };
}
