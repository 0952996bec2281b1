/** The scopes of API keys: what a key may be used for. */

export const SCOPES = [
  "speech:create",
  "transcription:create",
  "realtime:connect",
  "catalog:read",
  "voice:create",
] as const;

export type Scope = (typeof SCOPES)[number];

export const isScope = (name: string): name is Scope => SCOPES.includes(name as Scope);
