/** What client applications of an organization need to know of this server. */
import { type Catalogue, isStt, isTts } from "../../../models/catalogue.ts";
import type { accountRoutes } from "../schema/account-routes.ts";
import type { Handlers, ManagementDeps } from "./handler.ts";

export function connectionHandlers({ accounts, catalogue, config: { wyoming } }: ManagementDeps) {
  return {
    "GET /api/organizations/:organization/connection": async ({ organizationId }) => ({
      object: "connection",
      speech: speechOf(catalogue),
      transcription: transcriptionOf(catalogue),
      wyoming: wyoming && { port: wyoming.port, key_id: await ownKey(wyoming.keyId, organizationId) },
    }),
  } satisfies Partial<Handlers<typeof accountRoutes>>;

  async function ownKey(id: string, organizationId: string): Promise<string | null> {
    return (await accounts.key(id))?.organization_id === organizationId ? id : null;
  }
}

function speechOf({ entries }: Catalogue) {
  const entry = entries.filter(isTts).find(({ version }) => version !== null);
  const voice = entry?.version?.voices[0];
  return entry && voice ? { model: entry.id, voice: voice.id } : null;
}

function transcriptionOf({ entries }: Catalogue) {
  const entry = entries.filter(isStt).find(({ version }) => version !== null);
  return entry ? { model: entry.id } : null;
}
