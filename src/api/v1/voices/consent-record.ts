/** The consent of a speaker, as the API shows it. */
import Type, { type Static } from "typebox";
import type { Consent } from "../../../voices/consents.ts";

export const ConsentRecord = Type.Object({
  id: Type.String({ description: "What a new voice names as consent." }),
  object: Type.Literal("audio.voice_consent"),
  name: Type.String({ description: "For people." }),
  language: Type.String({ description: "What is spoken in the recording, as a tag." }),
  created_at: Type.Integer({ description: "When it was made, in Unix seconds." }),
});

export const consentRecord = ({ id, name, language, createdAt }: Consent): Static<typeof ConsentRecord> => ({
  id,
  object: "audio.voice_consent",
  name,
  language,
  created_at: createdAt,
});
