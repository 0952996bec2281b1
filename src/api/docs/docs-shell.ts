/**
 * The frame of every page of the documentation: a page of the web bundle, into which title, menu and content are put. Pages
 * and texts are made when they are first asked for, and kept compressed.
 */
import { pageHeaders } from "../pages/headers.ts";
import type { BundledFile } from "../pages/web-bundle.ts";

/** Title and query are text, all else is HTML. `aside`: beside the content: what is on the page, or code. */
export type DocsPage = { title: string; menu: string; content: string; aside: string; query?: string };

type Made = { plain: Uint8Array<ArrayBuffer>; gzip: Uint8Array<ArrayBuffer>; etag: string };
type Sent = { type: string; headers: Record<string, string> };

/** `base`: the path below which the server lies. `frame`: the page of the bundle. */
export function openDocsShell(base: string, frame: () => Promise<BundledFile>) {
  const made = new Map<string, Promise<Made>>();
  /** What was made before under the name, or what `make` gives; a failure is tried again. */
  const once = (name: string, make: () => Promise<string>): Promise<Made> => {
    const known = made.get(name);
    if (known) return known;
    const fresh = make().then(compressed);
    made.set(name, fresh);
    fresh.catch(() => made.delete(name));
    return fresh;
  };
  const html = async (page: DocsPage): Promise<string> => {
    const { plain } = await frame();
    const values: Record<string, string> = {
      ...{ base: Bun.escapeHTML(base), title: Bun.escapeHTML(page.title), query: "" },
      ...{ menu: page.menu, content: page.content, aside: page.aside },
      ...(page.query === undefined ? {} : { query: Bun.escapeHTML(page.query) }),
    };
    return new TextDecoder()
      .decode(plain)
      .replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => values[name] ?? "");
  };
  return {
    base,
    /** `name`: of the page, under which it is kept; null: it is another one each time. */
    async page(request: Request, name: string | null, make: () => DocsPage): Promise<Response> {
      const whole = async () => html(make());
      const content = name === null ? compressed(await whole()) : await once(`page ${name}`, whole);
      return respond(request, content, { type: "text/html; charset=utf-8", headers: pageHeaders() });
    },
    async text(request: Request, name: string, make: () => string): Promise<Response> {
      const content = await once(`text ${name}`, async () => make());
      const type = `${name.endsWith(".md") ? "text/markdown" : "text/plain"}; charset=utf-8`;
      return respond(request, content, { type, headers: { "cache-control": "no-cache" } });
    },
  };
}

function compressed(text: string): Made {
  const plain = new TextEncoder().encode(text);
  return { plain, gzip: Bun.gzipSync(plain), etag: `W/"${Bun.hash(plain).toString(36)}"` };
}

/** Browsers may keep it, and ask each time whether it changed. */
function respond(request: Request, { plain, gzip, etag }: Made, { type, headers }: Sent): Response {
  const all = { ...headers, etag, vary: "accept-encoding" };
  if (request.headers.get("if-none-match")?.includes(etag.slice(2)))
    return new Response(null, { status: 304, headers: all });
  const isGzip = /\bgzip\b/.test(request.headers.get("accept-encoding") ?? "");
  return new Response(isGzip ? gzip : plain, {
    headers: { ...all, "content-type": type, ...(isGzip ? { "content-encoding": "gzip" } : {}) },
  });
}
