/** A key as the management API returns it, and the changes that its dialogs make. */
import type { Reply } from "../api/server.ts";

export type Key = Reply<"GET /api/keys/:key">;
export type Project = Reply<"GET /api/projects/:project">;

export type KeyChange = { kind: "edit" | "rotate" | "revoke"; key: Key };
