/** Routes of operators: aliases, the names of other services that this server accepts. */
import Type from "typebox";
import { nullable, Text } from "./records.ts";
import type { Routes } from "./route.ts";

const Kind = Type.Enum(["model", "session", "voice"]);
const Name = Type.String({ maxLength: 256 });

const Alias = Type.Object({
  object: Type.Literal("alias"),
  kind: Kind,
  name: Type.String(),
  /** Best first; none: the name is switched off. */
  targets: Type.Array(Text),
  response_format: nullable(Text),
  source: Type.Enum(["shipped", "changed", "own"]),
  /** Whether the catalogue has what it stands for. */
  in_force: Type.Boolean(),
});

/** A model or voice that a name may stand for. */
const Target = Type.Object({ id: Text, name: Text });

export const aliasRoutes = {
  "GET /api/operator/aliases": {
    summary: "List the names that unmetered organizations may use beside those of the catalogue",
    needs: "operator",
    reply: Type.Object({
      object: Type.Literal("list"),
      data: Type.Array(Alias),
      choices: Type.Object({ models: Type.Array(Target), voices: Type.Array(Target) }),
    }),
  },
  "PUT /api/operator/aliases": {
    summary: "Set what a name stands for",
    needs: "operator",
    body: Type.Object({
      kind: Kind,
      name: Name,
      targets: Type.Array(Type.String({ minLength: 1, maxLength: 256 }), { minItems: 1, maxItems: 10 }),
      response_format: Type.Optional(nullable(Type.String({ maxLength: 16 }))),
    }),
    reply: Alias,
  },
  "POST /api/operator/aliases/remove": {
    summary: "Remove a name, or switch off a shipped one",
    needs: "operator",
    body: Type.Object({ kind: Kind, name: Name }),
  },
  "POST /api/operator/aliases/reset": {
    summary: "Undo the changes to a name",
    needs: "operator",
    body: Type.Object({ kind: Kind, name: Name }),
  },
} as const satisfies Routes;
