/** The settings of nodes that share engines: which role this one has, and which others it knows. */
import { addresses, ConfigError, type Environment, oneOf } from "./environment.ts";
import { type Secret, strongSecret } from "./secrets.ts";
import type { ChoiceOf } from "./variables.ts";

/**
 * `role` engine: engines for API nodes, and nothing else. `engines`: engine nodes that an API node connects to; `join`: API
 * nodes that an engine node connects to. `secret` null: no other nodes. `ca`: path of a certificate to trust.
 */
export type FleetConfig = {
  role: ChoiceOf<"LOQUAT_ROLE">;
  secret: Secret | null;
  engines: string[];
  join: string[];
  ca: string | null;
};

export function readFleet(environment: Environment): FleetConfig {
  const fleet: FleetConfig = {
    role: oneOf(environment, "LOQUAT_ROLE"),
    secret: strongSecret(environment, "LOQUAT_ENGINE_SECRET"),
    engines: addresses(environment, "LOQUAT_ENGINES"),
    join: addresses(environment, "LOQUAT_JOIN"),
    ca: environment.LOQUAT_ENGINE_CA ?? null,
  };
  const [unfit, role] =
    fleet.role === "api"
      ? [fleet.join, "LOQUAT_JOIN is for engine nodes: set LOQUAT_ROLE=engine."]
      : [fleet.engines, "LOQUAT_ENGINES is for API nodes: leave out LOQUAT_ROLE=engine."];
  if (unfit.length > 0) throw new ConfigError(role);
  if (fleet.secret === null && (fleet.role === "engine" || fleet.engines.length > 0))
    throw new ConfigError(
      "LOQUAT_ENGINE_SECRET must be set on API nodes and engine nodes alike. Create one with: openssl rand -base64 32.",
    );
  return fleet;
}
