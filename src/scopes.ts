/** The scopes of API keys and of admin keys: what a key may be used for. */

export const SCOPES = [
  "speech:create",
  "transcription:create",
  "realtime:connect",
  "catalog:read",
  "voice:create",
  "webhook:manage",
] as const;

export type Scope = (typeof SCOPES)[number];

/** What a key gets where none are chosen: speech and what belongs to it. */
export const USUAL_SCOPES: readonly Scope[] = SCOPES.filter((scope) => scope !== "webhook:manage");

/** The scopes of admin keys: what a program may do in its organization. */
export const ADMIN_SCOPES = [
  "usage:read",
  "organization:read",
  "organization:write",
  "webhooks:write",
] as const;

export type AdminScope = (typeof ADMIN_SCOPES)[number];

export const isAdminScope = (name: string): name is AdminScope => ADMIN_SCOPES.includes(name as AdminScope);

export const isScope = (name: string): name is Scope => SCOPES.includes(name as Scope);
