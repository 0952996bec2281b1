/** POST /v1/listen: a recording in, its transcript out. The body is the file, or says where it is. */
import { Elysia } from "elysia";
import Type from "typebox";
import { invalidInput } from "../../../errors.ts";
import { checker } from "../../../schema.ts";
import { type BodyTimeouts, mediaTypeOf, readJson } from "../../middleware/body/body.ts";
import { readRecording } from "../../middleware/body/upload.ts";
import { labelInQuery } from "../../middleware/caller.ts";
import type { Admitted, MeteredCall } from "../../middleware/metering.ts";
import type { DialectServices } from "../dialect.ts";
import { fetchRecording } from "../fetched-recording.ts";
import { Query } from "../query.ts";
import { headerOf, type RawAudio } from "../raw-audio.ts";
import { hear } from "../recordings.ts";
import { listenBody } from "./listen-body.ts";
import { readListenQuery } from "./listen-query.ts";

const ROUTE = {
  endpoint: "/deepgram/v1/listen",
  scope: "transcription:create",
  bucket: "seconds",
} as const;

export const listenFile = (services: DialectServices) =>
  new Elysia().post(
    "/deepgram/v1/listen",
    ({ request, set }) => {
      const call = { request, set };
      return services.metered(call, ROUTE, (admitted) => answer(services, call, admitted));
    },
    { parse: "none", detail: { hide: true } },
  );

const UTT_SPLIT_SECONDS = 0.8;

async function answer(services: DialectServices, call: MeteredCall, admitted: Admitted): Promise<Response> {
  const { catalogueFor, timeouts, clock } = services;
  const { id, holding, principal } = admitted;
  const query = new Query(call.request);
  const { style, ...asked } = readListenQuery(query);
  admitted.work.note({ label: labelInQuery(call.request) });
  const uttSplit = query.number("utt_split", { min: 0, max: 60 }) ?? UTT_SPLIT_SECONDS;
  const raw = rawAudioIn(query);
  const header = raw && headerOf(raw);
  using upload =
    mediaTypeOf(call.request) === "application/json"
      ? await fetchRecording(services.guard, await addressIn(call.request, timeouts), {
          ...{ holding, signal: admitted.signal, param: "url", header },
        })
      : await readRecording(call.request, { timeouts, holding }, header);
  const sha256 = await digestOf(upload.file);
  const catalogue = catalogueFor(principal);
  const heard = await hear(services, { call, admitted, catalogue, upload, asked });
  const body = listenBody(heard, {
    ...{ requestId: id, created: new Date(clock.now()).toISOString(), sha256, style },
    uttSplit: query.flag("utterances") ? uttSplit : null,
  });
  return Response.json(body, { headers: { "dg-request-id": id, "dg-model-name": heard.model } });
}

const named = checker(Type.Object({ url: Type.String() }));

async function addressIn(request: Request, timeouts: BodyTimeouts): Promise<string> {
  const { value, details } = named.check(await readJson(request, timeouts));
  if (details !== null) throw invalidInput(details);
  return value.url;
}

/** Null: the file says what it is. Other encodings are found in it too. */
function rawAudioIn(query: Query): RawAudio | null {
  const encoding = query.text("encoding");
  if (encoding !== "linear16" && encoding !== "mulaw" && encoding !== "alaw") return null;
  const sampleRate = query.whole("sample_rate", { min: 8000, max: 48_000 });
  if (sampleRate === null) return null;
  return { encoding, sampleRate, channels: query.whole("channels", { min: 1, max: 8 }) ?? 1 };
}

const SLICE_BYTES = 1024 * 1024; // about a millisecond

async function digestOf(file: Uint8Array): Promise<string> {
  const hash = new Bun.CryptoHasher("sha256");
  for (let start = 0; start < file.length; start += SLICE_BYTES) {
    if (start > 0) await new Promise(setImmediate); // others are served meanwhile
    hash.update(file.subarray(start, start + SLICE_BYTES));
  }
  return hash.digest("hex");
}
