/** Aliases as an operator edits them: names of other services, and what each stands for here. */
import { isInForce } from "../../../models/alias-admin.ts";
import type { ListedAlias } from "../../../models/aliases.ts";
import type { aliasRoutes } from "../schema/alias-routes.ts";
import { type Handlers, notFound, type Reads } from "./handler.ts";

export function aliasHandlers({
  aliases,
  catalogue,
}: Reads<"aliases" | "catalogue">): Handlers<typeof aliasRoutes> {
  const aliasRecord = ({ kind, name, targets, format, source }: ListedAlias) => ({
    object: "alias" as const,
    ...{ kind, name, targets, source },
    response_format: format,
    in_force: isInForce(catalogue, { kind, targets }),
  });
  return {
    "GET /api/operator/aliases": async () => ({
      object: "list",
      data: aliases.current().map(aliasRecord),
      choices: {
        models: catalogue.entries.map(({ id, manifest }) => ({ id, name: manifest.name })),
        voices: catalogue.voices.map(({ id, name }) => ({ id, name })),
      },
    }),
    "PUT /api/operator/aliases": async ({ body: { kind, name, targets, response_format: format = null } }) =>
      aliasRecord(await aliases.set({ kind, name, targets, format })),
    "POST /api/operator/aliases/remove": async ({ body: { kind, name } }) => {
      if (!(await aliases.remove(kind, name))) throw notFound("alias");
    },
    "POST /api/operator/aliases/reset": async ({ body: { kind, name } }) => {
      if (!(await aliases.reset(kind, name))) throw notFound("alias");
    },
  };
}
