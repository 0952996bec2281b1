/** Management routes as data: the router is built from them, and the dashboard is typed by them. */
import type { Static, TSchema } from "typebox";

/**
 * Who may call it. `anyone` needs no session, `user` any; `member`, `admin` and `owner` are roles in the organization of
 * the path's first id, and users outside it get 404; `operator` administers this server.
 */
export type Needs = "anyone" | "user" | "member" | "admin" | "owner" | "operator";

export type Route = {
  summary: string;
  needs: Needs;
  /** It costs money, gives rights or cannot be undone: who has a second factor has confirmed it lately. */
  confirms?: true;
  /** 200 by default; a route without a reply returns 204. */
  status?: 201 | 202;
  query?: TSchema;
  body?: TSchema;
  reply?: TSchema;
  /** Streams a file, as a `Download`, instead of a reply: of rows, what a job has spoken, or an archive. */
  download?: "rows" | "speech" | "archive";
  /** Redirects (302) to the `url` of its reply. */
  redirects?: true;
};

/** By method and path: "GET /api/organizations/:organization/keys". */
export type Routes = Record<string, Route>;

/** The ids in a path, by name. */
export type Ids<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Record<Name, string> & Ids<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Record<Name, string>
    : unknown;

export type QueryOf<R extends Route> = R extends { query: infer S extends TSchema } ? Static<S> : unknown;
export type BodyOf<R extends Route> = R extends { body: infer S extends TSchema } ? Static<S> : undefined;
/** A file for the browser to save. `type`: its media type. */
export type Download = { name: string; type: string; content: AsyncGenerator<string | Uint8Array> };

export type ReplyOf<R extends Route> = R extends { download: string } ? Download : JsonOf<R>;
type JsonOf<R extends Route> = R extends { reply: infer S extends TSchema } ? Static<S> : undefined;
