/** An OpenID Connect provider of a library that is certified, whose people sign in as soon as they are asked to. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import Provider, { type Configuration, type KoaContextWithOIDC } from "oidc-provider";

type Worker = { email?: string; email_verified?: boolean; name?: string; [claim: string]: unknown };

export type RealProvider = AsyncDisposable & {
  issuer: string;
  /** Its people, by their name there. */
  people: Map<string, Worker>;
  /** Who signs in next; null: they refuse. */
  who: string | null;
  /** Begins to answer, for the clients of a server at this origin. */
  open(origin: string, ids?: string[]): void;
};

const SCOPES = "openid email profile groups";

/** The port is taken at once: until it is opened, every request gets 503. */
export async function startRealProvider(): Promise<RealProvider> {
  let answer: ReturnType<Provider["callback"]> | null = null;
  let provider: Provider;
  const server: Server = createServer((request, response) => {
    if (answer === null) response.writeHead(503).end();
    else if (request.url!.startsWith("/interaction/")) void interact(request, response);
    else answer(request, response);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const self: RealProvider = {
    issuer,
    people: new Map(),
    who: null,
    open(origin, ids = ["company"]) {
      provider = new Provider(issuer, configurationOf(self, origin, ids));
      answer = provider.callback();
    },
    [Symbol.asyncDispose]: async () => void server.close(),
  };

  async function interact(...[request, response]: Parameters<typeof provider.interactionDetails>) {
    const { who: accountId } = self;
    const denied = { error: "access_denied", error_description: "<b>no</b>" };
    await provider.interactionFinished(
      request,
      response,
      accountId === null ? denied : { login: { accountId, remember: false } },
    );
  }
  return self;
}

function configurationOf({ people }: RealProvider, origin: string, ids: string[]): Configuration {
  const redirects = ids.map((id) => `${origin}/api/auth/callback/${id}`);
  return {
    clients: [{ client_id: "loquat", client_secret: "a secret of the client", redirect_uris: redirects }],
    claims: {
      openid: ["sub"],
      email: ["email", "email_verified"],
      profile: ["name"],
      groups: ["groups", "realm_access"],
    },
    scopes: SCOPES.split(" "),
    cookies: { keys: ["a key of the provider"] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    async findAccount(_context, id) {
      const claims = people.get(id);
      return claims && { accountId: id, claims: async () => ({ ...claims, sub: id }) };
    },
    async loadExistingGrant({ oidc }: KoaContextWithOIDC) {
      const grant = new oidc.provider.Grant({
        clientId: oidc.client!.clientId,
        accountId: oidc.session!.accountId!,
      });
      grant.addOIDCScope(SCOPES);
      await grant.save();
      return grant;
    },
  };
}
