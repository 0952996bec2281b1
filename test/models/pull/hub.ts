/**
 * A stand-in for the hubs that packages come from. It behaves as they were captured doing, so that a client that works
 * here works there; a test may make it fail in any other way.
 *
 *   lfs    Hugging Face, large files: 302 with x-linked-size and x-linked-etag (SHA-256) to a signed address of another
 *          host, whose own ETag is the id of a Xet file: 64 hexadecimal digits, and no hash of the content
 *   small  Hugging Face, text: 307 to a relative address; compressed where the client allows it, with the length of the
 *          compressed form, but ranges of the plain file
 *   raw    GitHub: served at once; an ETag of 64 hexadecimal digits that is no hash of the content; compressed where the
 *          client allows it, ranges of the compressed form included
 */
import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { takes } from "../../until.ts";

/** The commit that its repository is at. */
export const REVISION = "c0ffee".repeat(7).slice(0, 40);

/** `probes`: only the first byte is asked for, to learn what the hub declares. */
type Asked = { path: string; range: string | null; probes: boolean; count: number };
type Kind = "lfs" | "small" | "raw";

export type FakeHub = Disposable & {
  url: string;
  /** What it was asked for, in order: method, path, range. */
  asked: string[];
  files: Map<string, Uint8Array>;
  /** How it fails, if it does. */
  fail: (request: Asked) => Response | null;
  kindOf: (path: string) => Kind;
  /** Whether large files are declared on the way to their storage. */
  declares: boolean;
  ranges: boolean;
  /** Whether a response without a range has a length. */
  lengths: boolean;
  /** How many of the next signatures have expired before they are used. */
  expired: number;
};

export function openHub(files: Record<string, Uint8Array | string> = {}): FakeHub {
  const counts = new Map<string, number>();
  const expired = new Set<string>();
  let signatures = 0;
  const hub: Omit<FakeHub, typeof Symbol.dispose> = {
    url: "",
    asked: [],
    files: new Map(Object.entries(files).map(([path, bytes]) => [path, Buffer.from(bytes)])),
    fail: () => null,
    kindOf: (path) => (/\.(json|txt)$/.test(path) ? "small" : "lfs"),
    declares: true,
    ranges: true,
    lengths: true,
    expired: 0,
  };
  const sign = () => {
    const signature = String(++signatures);
    if (hub.expired-- > 0) expired.add(signature);
    return signature;
  };
  const answer = (request: Request): Response => {
    const { pathname, searchParams } = new URL(request.url);
    const path = pathname.slice(1);
    const range = request.headers.get("range");
    hub.asked.push([request.method, path, range].filter(Boolean).join(" "));
    const count = (counts.get(path) ?? 0) + 1;
    counts.set(path, count);
    const failure = hub.fail({ path, range, probes: range === "bytes=0-0", count });
    if (failure) return failure;
    const name = path.replace(/^(cdn|cache)\//, "");
    const bytes = hub.files.get(name);
    if (!bytes) return new Response("not here", { status: 404 });
    if (path.startsWith("cdn/")) {
      if (expired.has(searchParams.get("Signature")!)) return new Response(EXPIRED, { status: 403 });
      return serve(request, { bytes, etag: `"${digestsOf(bytes).other}"`, hub, compressed: "never" });
    }
    if (path.startsWith("cache/"))
      return serve(request, { bytes, etag: `"${digestsOf(bytes).git}"`, hub, compressed: "lengths" });
    if (hub.kindOf(name) === "raw")
      return serve(request, { bytes, etag: `"${digestsOf(bytes).other}"`, hub, compressed: "all" });
    return hub.kindOf(name) === "small" ? leadToCache(path) : leadToStorage(path, { bytes, hub, sign });
  };
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", idleTimeout: 60, fetch: answer });
  hub.url = `http://127.0.0.1:${server.port}`;
  return Object.assign(hub, { [Symbol.dispose]: () => void server.stop(true) });
}

const EXPIRED = "<Error><Code>AccessDenied</Code><Message>Request has expired</Message></Error>";
const digests = new WeakMap<Uint8Array, { sha256: string; other: string; git: string }>();

/** Once for each content. `other` looks like the hash of the content, and is not. */
function digestsOf(bytes: Uint8Array) {
  const known = digests.get(bytes);
  if (known) return known;
  const digest = (algorithm: string, salt: string) =>
    createHash(algorithm).update(salt).update(bytes).digest("hex");
  const computed = {
    sha256: digest("sha256", ""),
    other: digest("sha256", "other"),
    git: digest("sha1", `blob ${bytes.length}\0`),
  };
  digests.set(bytes, computed);
  return computed;
}

const leadToCache = (path: string) =>
  new Response(null, {
    status: 307,
    headers: { location: `/cache/${path}?etag=x`, "x-repo-commit": REVISION },
  });

type Leading = { bytes: Uint8Array; hub: Pick<FakeHub, "url" | "declares">; sign: () => string };

function leadToStorage(path: string, { bytes, hub, sign }: Leading): Response {
  const linked = {
    "x-linked-size": String(bytes.length),
    "x-linked-etag": `"${digestsOf(bytes).sha256}"`,
    "x-xet-hash": digestsOf(bytes).other,
    "x-repo-commit": REVISION,
  };
  // another host, as far as one machine has two
  const storage = hub.url.replace("127.0.0.1", "localhost");
  const location = `${storage}/cdn/${path}?Expires=1700000000&Signature=${sign()}`;
  return new Response(null, { status: 302, headers: { location, ...(hub.declares ? linked : {}) } });
}

type Serving = {
  bytes: Uint8Array;
  etag: string;
  hub: Pick<FakeHub, "ranges" | "lengths">;
  /** What is compressed where the client allows it: nothing, all but ranges, or everything. */
  compressed: "never" | "lengths" | "all";
};

function serve(request: Request, { bytes, etag, hub, compressed }: Serving): Response {
  const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.get("range") ?? "") ?? [];
  const isRange = hub.ranges && from !== undefined && to !== undefined;
  const isGzip =
    compressed !== "never" &&
    /\bgzip\b/.test(request.headers.get("accept-encoding") ?? "") &&
    !(isRange && compressed === "lengths");
  const body = isGzip ? gzipSync(bytes) : bytes;
  const headers: Record<string, string> = {
    etag: isGzip ? `W/${etag}` : etag,
    ...(hub.ranges && { "accept-ranges": "bytes" }),
    ...(isGzip && { "content-encoding": "gzip" }),
  };
  if (!isRange) return whole(request, { body, headers, hasLength: hub.lengths });
  const part = body.subarray(Number(from), Number(to) + 1);
  const range = `bytes ${from}-${Number(from) + part.length - 1}/${body.length}`;
  return new Response(part as never, { status: 206, headers: { ...headers, "content-range": range } });
}

type Whole = { body: Uint8Array; headers: Record<string, string>; hasLength: boolean };

function whole({ method }: Request, { body, headers, hasLength }: Whole): Response {
  if (method === "HEAD")
    return new Response(null, {
      headers: { ...headers, ...(hasLength && { "content-length": String(body.length) }) },
    });
  if (hasLength) return new Response(body as never, { headers });
  const stream = new ReadableStream({
    async pull(controller) {
      await takes(1); // a stream that is complete at once would be sent with its length
      controller.enqueue(body);
      controller.close();
    },
  });
  return new Response(stream as never, { headers });
}

/** Answers a range once it may. */
export function slowly(bytes: string, may: Promise<void>): Response {
  const body = new ReadableStream({
    async pull(controller) {
      await may;
      controller.enqueue(Buffer.from(bytes));
      controller.close();
    },
  });
  return new Response(body as never, { status: 206 });
}
