/** Routes of the voices that an organization has made. They are made and played through the public API, with a test key. */
import Type from "typebox";
import { nullable, Text, Whole } from "./records.ts";
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
  },
} as const satisfies Routes;
