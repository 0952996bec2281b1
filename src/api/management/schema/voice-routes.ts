/** Routes of the voices that an organization has made, and of their speakers' consents. They are made and played through the public API, with a test key. */
import Type from "typebox";
import { listOf, nullable, Text, Whole } from "./records.ts";
import type { Routes } from "./route.ts";

const Voice = Type.Object({
  object: Type.Literal("audio.voice"),
  id: Text,
  name: Text,
  kind: Type.Enum(["recording", "blend"]),
  model: Text,
  /** Of the recording. */
  duration_seconds: nullable(Type.Number()),
  consent: nullable(Type.Enum(["statement", "recording"])),
  /** The voices and weights of a blend. */
  blend: nullable(Text),
  created_at: Whole,
});

const Consent = Type.Object({
  object: Type.Literal("audio.voice_consent"),
  id: Text,
  name: Text,
  /** What is spoken in its recording. */
  language: Text,
  created_at: Whole,
});

export const voiceRoutes = {
  "GET /api/organizations/:organization/voices": {
    summary: "List the voices that an organization has made",
    needs: "member",
    reply: Type.Object({
      object: Type.Literal("list"),
      data: Type.Array(Voice),
      /** How many it may have. */
      voices_max: Whole,
      /** Whether voices can be made of recordings. */
      cloning: Type.Enum(["available", "disabled", "not_installed"]),
      /** The models that blend voices, and the ids of voices that can be blended with each other. */
      blending: Type.Array(Type.Object({ model: Text, voices: Type.Array(Type.Array(Text)) })),
    }),
  },
  "DELETE /api/organizations/:organization/voices/:voice": {
    summary: "Delete a voice, with its recording and consent",
    needs: "admin",
    confirms: true,
  },
  "GET /api/organizations/:organization/voice-consents": {
    summary: "List the consents of speakers, the newest first",
    needs: "member",
    reply: listOf(Consent),
  },
  "DELETE /api/organizations/:organization/voice-consents/:consent": {
    summary: "Delete a consent; voices that were made with it stay",
    needs: "admin",
    confirms: true,
  },
} as const satisfies Routes;
