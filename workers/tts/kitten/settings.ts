/** What is used of KittenTTS's `config.json`, under its published names. */
import Type from "typebox";
import { checker } from "../../../src/schema.ts";

export const SETTINGS = checker(
  Type.Object({
    voice_aliases: Type.Optional(Type.Record(Type.String(), Type.String())),
    speed_priors: Type.Optional(Type.Record(Type.String(), Type.Number({ minimum: 0.1, maximum: 10 }))),
  }),
);
