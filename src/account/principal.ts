/** Who a key proved to be, and what it may do. */

export const SCOPES = ["speech:create", "transcription:create", "realtime:connect", "catalog:read"] as const;

export type Scope = (typeof SCOPES)[number];

export const isScope = (name: string): name is Scope => SCOPES.includes(name as Scope);

export type Principal = {
  keyId: string;
  organizationId: string;
  projectId: string;
  environment: "live" | "test";
  scopes: ReadonlySet<Scope>;
  /** The organization's own limits, by name, where it has some. */
  limitOverrides: Record<string, number> | null;
};
