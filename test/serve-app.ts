/** Serves an app on a port of its own, and leaves nothing of it in the process once it is closed. */

type App = {
  listen(address: { hostname: string; port: number }): unknown;
  server: { url: URL; stop(closesConnections: boolean): Promise<void> } | null;
};

/** What Elysia has `process` call at its end holds the whole app: a run of many tests would keep every one. */
export function serveApp(app: App): AsyncDisposable & { origin: string } {
  const before = new Set(process.listeners("beforeExit"));
  app.listen({ hostname: "127.0.0.1", port: 0 });
  const added = process.listeners("beforeExit").filter((listener) => !before.has(listener));
  const servers = [app.server!];
  return {
    origin: app.server!.url.origin,
    async [Symbol.asyncDispose]() {
      for (const server of servers.splice(0)) await server.stop(true);
      for (const listener of added.splice(0)) process.off("beforeExit", listener);
    },
  };
}
