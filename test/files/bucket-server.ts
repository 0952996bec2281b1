/** A stand-in for a server of S3 on the loopback: objects of one bucket in memory, and what was asked of it. */

export type BucketServer = Disposable & {
  url: string;
  objects: Map<string, Uint8Array>;
  /** Methods and paths. */
  asked: string[];
  /** Whether each request had a signature. */
  isSigned(): boolean;
};

export function openBucketServer(): BucketServer {
  const objects = new Map<string, Uint8Array>();
  const asked: string[] = [];
  let unsigned = 0;
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { pathname, searchParams } = new URL(request.url);
      asked.push(`${request.method} ${pathname}`);
      if (!request.headers.get("authorization")?.startsWith("AWS4-HMAC-SHA256 Credential=key-id/"))
        unsigned++;
      const key = decodeURIComponent(pathname.replace(/^\/bucket\/?/, ""));
      if (request.method === "PUT") {
        objects.set(key, await request.bytes());
        return new Response(null, { headers: { etag: '"one"' } });
      }
      if (request.method === "DELETE") {
        objects.delete(key);
        return new Response(null, { status: 204 });
      }
      if (key === "")
        return listOf(
          [...objects.keys()].filter((name) => name.startsWith(searchParams.get("prefix") ?? "")),
        );
      const object = objects.get(key);
      return object ? new Response(object as never) : missing();
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    objects,
    asked,
    isSigned: () => unsigned === 0,
    [Symbol.dispose]: () => void server.stop(true),
  };
}

const xml = (text: string, status = 200) =>
  new Response(`<?xml version="1.0" encoding="UTF-8"?>${text}`, {
    status,
    headers: { "content-type": "application/xml" },
  });

const listOf = (keys: string[]) =>
  xml(
    `<ListBucketResult><Name>bucket</Name><KeyCount>${keys.length}</KeyCount><IsTruncated>false</IsTruncated>${keys
      .map((key) => `<Contents><Key>${key}</Key><Size>1</Size></Contents>`)
      .join("")}</ListBucketResult>`,
  );

const missing = () => xml("<Error><Code>NoSuchKey</Code><Message>There is none.</Message></Error>", 404);
