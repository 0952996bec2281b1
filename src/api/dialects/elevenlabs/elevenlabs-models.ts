/** GET /v1/models as ElevenLabs lists them. Not metered. */
import { Elysia } from "elysia";
import { type Entry, isTts } from "../../../models/catalogue.ts";
import type { TtsManifest } from "../../../models/manifest.ts";
import type { DialectServices } from "../dialect.ts";

type ModelsDeps = Pick<DialectServices, "access" | "catalogueFor">;

export const elevenLabsModels = ({ access, catalogueFor }: ModelsDeps) =>
  new Elysia().get(
    "/elevenlabs/v1/models",
    async ({ request }) => {
      const { plan } = await access(request, "catalog:read");
      return Response.json(catalogueFor(plan).entries.filter(isTts).map(modelOf));
    },
    { detail: { hide: true } },
  );

const modelOf = ({ id, manifest }: Entry<TtsManifest>) => ({
  model_id: id,
  name: manifest.name,
  can_do_text_to_speech: true,
});
