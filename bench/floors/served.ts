/**
 * A server that answers every request with the same bytes, for comparison with GET /v1/models: `bun served.ts KIND`, with
 * `{ body, headers }` as JSON on standard input. Prints its port.
 */
import { hash } from "node:crypto";
import { Elysia } from "elysia";
import { bearer } from "../../src/api/middleware/caller.ts";
import { systemClock } from "../../src/clock.ts";
import { newId } from "../../src/ids.ts";

export type Kind = "bare" | "headers" | "framework" | "checked";
export type Served = { body: string; headers: Record<string, string> };

const ANY = { port: 0, hostname: "127.0.0.1" };

if (import.meta.main) {
  const served = (await Bun.stdin.json()) as Served;
  process.stdout.write(`${serve(process.argv[2] as Kind, served)}\n`);
}

function serve(kind: Kind, { body, headers }: Served): number {
  const withId = () => ({ ...headers, "x-request-id": newId("req", systemClock) });
  if (kind === "bare") {
    const type = { headers: { "content-type": headers["content-type"]! } };
    return Bun.serve({ ...ANY, fetch: () => new Response(body, type) }).port!;
  }
  if (kind === "headers")
    return Bun.serve({ ...ANY, fetch: () => new Response(body, { headers: withId() }) }).port!;
  const keys = new Set<string>();
  const app = new Elysia()
    .onRequest(({ set }) => void Object.assign(set.headers, withId()))
    .get("/v1/models", ({ request }) => {
      if (kind === "checked") keys.add(hash("sha256", bearer(request.headers), "binary"));
      return body;
    });
  return app.listen(ANY).server!.port!;
}
