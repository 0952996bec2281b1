/** The dialects of the server: other vendors' APIs in front of its services. */
import { redeemGrant } from "../accounts/grants.ts";
import { isClientSecret } from "../accounts/secret.ts";
import { deepgram } from "../api/dialects/deepgram/deepgram.ts";
import type { Dialect, DialectServices } from "../api/dialects/dialect.ts";
import { elevenlabs } from "../api/dialects/elevenlabs/elevenlabs.ts";
import { jambonz } from "../api/dialects/jambonz/jambonz.ts";
import { mcp } from "../api/dialects/mcp/mcp.ts";
import { type Authentication, openKeyAuthentication } from "../api/middleware/caller.ts";
import type { MeteredRoutes } from "../api/middleware/metering.ts";
import type { DialectName } from "../config/dialects.ts";
import type { CatalogueFor } from "../models/live-catalogue.ts";
import { openGuard } from "../net/guarded-request.ts";
import type { Services } from "./services.ts";

const ALL: Record<DialectName, Dialect> = { elevenlabs, deepgram, jambonz, mcp };

export const dialectsNamed = (names: readonly DialectName[]): Dialect[] => names.map((name) => ALL[name]);

/** What the app has made of its services. `meteredBy`: with this access. */
type Made = Omit<DialectServices, "access" | "metered" | "guard" | OfServices> & {
  meteredBy(access: Authentication): MeteredRoutes;
  /** The client's address. */
  clientOf(request: Request): string | null;
};

type OfServices = "ledger" | "synthesizer" | "voices" | "pronunciations" | "decoder" | "registry";

/** Each with access as its clients send their key. */
export function dialectRoutes(
  dialects: readonly Dialect[],
  services: Services,
  { meteredBy, clientOf, ...made }: Made,
) {
  const { accounts, ledger, synthesizer, voices, pronunciations, decoder, registry } = services;
  const own = { ledger, synthesizer, voices, pronunciations, decoder, registry };
  const authenticate = (secret: string) =>
    isClientSecret(secret) ? redeemGrant(accounts, secret) : accounts.authenticate(secret);
  const guard = openGuard(services.config.outbound);
  return dialects.map(({ secretOf, routes, namesModels }) => {
    const access = openKeyAuthentication(authenticate, clientOf, secretOf);
    const catalogueFor: CatalogueFor = (caller) =>
      made.catalogueFor(namesModels ? { ...caller, plan: "unmetered" } : caller);
    const reading = { access, metered: meteredBy(access), accounts: { ...accounts, authenticate } };
    return routes({ ...own, ...made, ...reading, guard, catalogueFor });
  });
}
