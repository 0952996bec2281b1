/** A hub of its own: it redirects, declares, serves ranges, and fails the way a test says. */

type Failing = (request: { path: string; range: string | null; count: number }) => Response | null;

export type FakeHub = Disposable & {
  url: string;
  /** What it was asked for, in order: method, path, range. */
  asked: string[];
  files: Map<string, Uint8Array>;
  /** How it fails, if it does. */
  fail: Failing;
  /** Declares sizes and hashes as a hub of large files does; supports ranges. */
  declares: boolean;
  ranges: boolean;
};

export function openHub(files: Record<string, Uint8Array | string> = {}): FakeHub {
  const counts = new Map<string, number>();
  const hub: Omit<FakeHub, typeof Symbol.dispose> = {
    url: "",
    asked: [],
    files: new Map(Object.entries(files).map(([path, bytes]) => [path, Buffer.from(bytes)])),
    fail: () => null,
    declares: true,
    ranges: true,
  };
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 60,
    fetch(request) {
      const path = new URL(request.url).pathname.slice(1);
      const range = request.headers.get("range");
      hub.asked.push([request.method, path, range].filter(Boolean).join(" "));
      const count = (counts.get(path) ?? 0) + 1;
      counts.set(path, count);
      const failure = hub.fail({ path, range, count });
      if (failure) return failure;
      const bytes = hub.files.get(path.replace(/^cdn\//, ""));
      if (!bytes) return new Response("not here", { status: 404 });
      return path.startsWith("cdn/") ? serve(bytes, range, hub) : lead(path, bytes, hub);
    },
  });
  hub.url = `http://127.0.0.1:${server.port}`;
  return Object.assign(hub, { [Symbol.dispose]: () => void server.stop(true) });
}

const hashOf = (bytes: Uint8Array) => new Bun.CryptoHasher("sha256").update(bytes).digest("hex");

/** To where the bytes are; on the way it tells what they are. */
function lead(
  path: string,
  bytes: Uint8Array,
  { url, declares }: Pick<FakeHub, "url" | "declares">,
): Response {
  const told: Record<string, string> = declares
    ? {
        "x-linked-size": String(bytes.length),
        "x-linked-etag": `"${hashOf(bytes)}"`,
        "x-repo-commit": "c0ffee",
      }
    : {};
  return new Response(null, { status: 302, headers: { location: `${url}/cdn/${path}`, ...told } });
}

function serve(bytes: Uint8Array, range: string | null, { ranges }: Pick<FakeHub, "ranges">): Response {
  const headers = {
    etag: `"v-${hashOf(bytes).slice(0, 8)}"`,
    ...(ranges ? { "accept-ranges": "bytes" } : {}),
  };
  const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(range ?? "") ?? [];
  if (!ranges || from === undefined || to === undefined) return new Response(bytes as never, { headers });
  const part = bytes.subarray(Number(from), Number(to) + 1);
  return new Response(part as never, { status: 206, headers });
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
