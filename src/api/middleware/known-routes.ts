/**
 * What the router offers, for requests that match none of it: the methods of a path, and the path that a client probably
 * meant. A route is a method and a pattern, such as `GET /v1/models/:model` or `ALL /api/auth/*`.
 */
export type KnownRoute = { method: string; path: string };

/** A slash at the end makes no difference; repeated ones are not one. */
const segmentsOf = (path: string): string[] => path.replace(/^\/|\/$/g, "").split("/");

function matches(pattern: string, path: readonly string[]): boolean {
  const parts = segmentsOf(pattern);
  const isOpen = parts.at(-1) === "*";
  if (isOpen ? path.length < parts.length - 1 : path.length !== parts.length) return false;
  return parts.every((part, index) => part === "*" || part.startsWith(":") || part === path[index]);
}

const methodsOf = (routes: readonly KnownRoute[], path: readonly string[]): string[] => [
  ...new Set(routes.filter((route) => matches(route.path, path)).map(({ method }) => method)),
];

/** The value of the header `Allow`; null if there is nothing at the path. */
export function allowedMethods(routes: readonly KnownRoute[], path: string): string | null {
  const methods = methodsOf(routes, segmentsOf(path));
  if (methods.length === 0) return null;
  return [...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"].join(", ");
}

const SEGMENTS_MAX = 10;

/**
 * The path below /v1 that one with a wrong base ends in: /audio/speech, /v1/v1/audio/speech and /openai/v1/audio/speech
 * all mean /v1/audio/speech, and so do a name without its last "s", capitals, and escaped slashes. Null if there is none.
 */
export function likelyPath(routes: readonly KnownRoute[], path: string): string | null {
  const segments = path.toLowerCase().replaceAll("%2f", "/").split("/").filter(Boolean);
  if (segments.length > SEGMENTS_MAX) return null;
  for (let from = 0; from < segments.length; from++) {
    if (segments[from] === "v1") continue;
    const rest = segments.slice(from);
    for (const ending of ["", "s"]) {
      const candidate = `/v1/${rest.join("/")}${ending}`;
      if (candidate !== path && methodsOf(routes, segmentsOf(candidate)).length > 0) return candidate;
    }
  }
  return null;
}
