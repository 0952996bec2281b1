/** What this process says of itself to other nodes. */
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { version } from "../../package.json";
import { type Config, ConfigError, type FleetConfig } from "../config/config.ts";
import type { Self } from "../engine/remote/link.ts";

/** Another instance at each call. */
export const newSelf = ({ node }: Pick<Config, "node">): Self => ({ version, node, instance: randomUUID() });

/** The certificate to trust, PEM; null: those of the system only. */
export function trustedCertificate({ ca }: FleetConfig): string | null {
  if (ca === null) return null;
  try {
    return readFileSync(ca, "utf8");
  } catch (error) {
    throw new ConfigError(`LOQUAT_ENGINE_CA: ${ca} cannot be read: ${(error as Error).message}`);
  }
}
