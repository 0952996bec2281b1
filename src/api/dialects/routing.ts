/**
 * Which requests are of a dialect. A request is one of a dialect by its address, or where the
 * server's own API has the same address, by its headers; it then has the address below the dialect's name.
 *
 *   POST /v1/listen                            -> /deepgram/v1/listen
 *   GET  /v1/models, with the header xi-api-key -> /elevenlabs/v1/models
 */
import type { RequestDialects } from "../middleware/edge.ts";
import type { Dialect } from "./dialect.ts";

export function routeDialects(dialects: readonly Dialect[]): RequestDialects {
  const own = new Map(dialects.flatMap((dialect) => dialect.own.map((prefix) => [prefix, dialect])));
  const shared = Map.groupBy(
    dialects.flatMap((dialect) => dialect.shared.map((prefix) => ({ prefix, dialect }))),
    ({ prefix }) => prefix,
  );
  const dialectAt = (url: string, start: number, { headers }: Request): Dialect | undefined => {
    const prefix = prefixOf(url, start);
    return own.get(prefix) ?? shared.get(prefix)?.find(({ dialect }) => dialect.isMeant(headers))?.dialect;
  };
  return {
    route(request) {
      const { url } = request;
      const start = pathStart(url);
      const dialect = dialectAt(url, start, request);
      if (dialect === undefined) return false;
      const routed = `${url.slice(0, start)}/${dialect.name}${url.slice(start)}`;
      Object.defineProperty(request, "url", { value: routed, configurable: true });
      return true;
    },
    errorBody({ url }) {
      const path = url.slice(pathStart(url));
      const dialect = dialects.find(({ name }) => path.startsWith(`/${name}/`));
      return dialect?.errorBody ?? null;
    },
  };
}

const pathStart = (url: string): number => url.indexOf("/", "https://".length);

/** The first two segments of the path. */
function prefixOf(url: string, start: number): string {
  const query = url.indexOf("?", start);
  const pathEnd = query === -1 ? url.length : query;
  const second = url.indexOf("/", start + 1);
  const end = second === -1 ? -1 : url.indexOf("/", second + 1);
  return url.slice(start, end === -1 || end > pathEnd ? pathEnd : end);
}
