/** A collector of OpenTelemetry, as far as tests need one: keeps the spans that it is sent as JSON. */

type Value = { stringValue?: string; intValue?: number; doubleValue?: number };
type Sent = {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: { key: string; value: Value }[];
  status: { code: number };
};
type Body = {
  resourceSpans: {
    resource: { attributes: { key: string; value: Value }[] };
    scopeSpans: { spans: Sent[] }[];
  }[];
};

type Received = Omit<Sent, "attributes"> & { attributes: Record<string, unknown> };

export type Collector = AsyncDisposable & {
  url: string;
  spans: Received[];
  /** Of the service that sent last. */
  resource: Record<string, unknown>;
  /** The headers of what was sent last. */
  headers: Headers;
  /** What it answers with from now on. */
  answer(status: number): void;
};

const plain = (attributes: { key: string; value: Value }[]) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

export function openCollector(): Collector {
  let status = 200;
  const spans: Received[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      if (new URL(request.url).pathname !== "/v1/traces") return new Response(null, { status: 404 });
      if (status !== 200) return new Response(null, { status });
      const { resourceSpans } = (await request.json()) as Body;
      for (const { resource, scopeSpans } of resourceSpans) {
        collector.resource = plain(resource.attributes);
        for (const span of scopeSpans.flatMap((scope) => scope.spans))
          spans.push({ ...span, attributes: plain(span.attributes) });
      }
      collector.headers = request.headers;
      return Response.json({});
    },
  });
  const collector: Collector = {
    url: server.url.origin,
    spans,
    resource: {},
    headers: new Headers(),
    answer(next) {
      status = next;
    },
    [Symbol.asyncDispose]: () => server.stop(true),
  };
  return collector;
}
