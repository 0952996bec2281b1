/** A TCP port of this machine that is free now, for a process that must be told its port before it starts. */
export function freePort(): number {
  using server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
  return server.port!;
}
