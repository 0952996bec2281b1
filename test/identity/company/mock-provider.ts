/** A provider that shares no code with the other one: it takes public clients only, and puts every claim into the ID token. */
import { OAuth2Server } from "oauth2-mock-server";

export type MockProvider = AsyncDisposable & {
  issuer: string;
  claims: Record<string, unknown>;
  /** Whom its userinfo endpoint is about; null: the same person. */
  other: string | null;
};

export async function startMockProvider(): Promise<MockProvider> {
  const server = new OAuth2Server();
  await server.issuer.keys.generate("RS256");
  await server.start(0, "127.0.0.1");
  const self: MockProvider = {
    issuer: server.issuer.url!,
    claims: {},
    other: null,
    [Symbol.asyncDispose]: () => server.stop(),
  };
  server.service.on("beforeTokenSigning", (token: { payload: object }) =>
    Object.assign(token.payload, self.claims),
  );
  server.service.on("beforeUserinfo", (response: { body: unknown }) => {
    response.body = { sub: self.other ?? self.claims.sub };
  });
  return self;
}
