/** Who somebody proved to be: by a key, and what it may do; or by signing in. */

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

export type User = {
  id: string;
  email: string;
  name: string;
  emailVerified: boolean;
  operator: boolean;
  /** Unix seconds. */
  createdAt: number;
};

export type Session = { id: string; user: User };
