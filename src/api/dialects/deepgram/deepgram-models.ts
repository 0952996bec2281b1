/** GET /v1/models as Deepgram lists them: recognizers, and voices. Not metered. */
import { Elysia } from "elysia";
import { type Entry, isStt } from "../../../models/catalogue.ts";
import type { SttManifest } from "../../../models/manifest.ts";
import type { DialectServices } from "../dialect.ts";

type ModelsDeps = Pick<DialectServices, "access" | "catalogueFor">;

export const deepgramModels = ({ access, catalogueFor }: ModelsDeps) =>
  new Elysia().get(
    "/deepgram/v1/models",
    async ({ request }) => {
      const { plan } = await access(request, "catalog:read");
      const { entries, voices } = catalogueFor(plan);
      return Response.json({
        stt: entries.filter(isStt).map(recognizerOf),
        tts: voices.map(({ id, name, locale }) => ({ name, canonical_name: id, languages: [locale] })),
      });
    },
    { detail: { hide: true } },
  );

const recognizerOf = ({ id, manifest }: Entry<SttManifest>) => ({ name: manifest.name, canonical_name: id });
