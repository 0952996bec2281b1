/** The tool `list_voices`: the voices of the catalogue and the organization's own. Free of charge. */
import Type from "typebox";
import { primaryLanguage } from "../../../language-tag.ts";
import { languagesSpoken } from "../../../models/manifest.ts";
import { ownVoicesListed } from "../../../voices/voices.ts";
import type { DialectServices } from "../dialect.ts";
import { openTool } from "./tool.ts";

const Input = Type.Object(
  {
    language: Type.Optional(
      Type.String({ maxLength: 256, description: "Only voices that speak this language, such as en." }),
    ),
  },
  { additionalProperties: false },
);

export const voicesTool = ({ access, catalogueFor, ownVoices }: DialectServices) =>
  openTool({
    name: "list_voices",
    title: "List voices",
    description: "Lists the voices that speak: their ids, names, languages and models.",
    input: Input,
    isFree: true,
    async run({ language }, { request }) {
      const principal = await access(request, "catalog:read");
      const catalogue = catalogueFor(principal);
      const own = await ownVoicesListed(ownVoices, principal, catalogue);
      const asked = language && primaryLanguage(language);
      const voices = [...own, ...catalogue.voices]
        .filter((voice) => !asked || languagesSpoken(voice).includes(asked))
        .map((voice) => ({
          id: voice.id,
          name: voice.name,
          locale: voice.locale,
          languages: languagesSpoken(voice),
          gender: voice.gender,
          models: voice.models,
        }));
      return { content: [{ type: "text", text: JSON.stringify({ voices }) }], structuredContent: { voices } };
    },
  });
