/** The APIs that the server speaks beside OpenAI's. */
import { ConfigError, type Environment, text } from "./environment.ts";

const DIALECTS = ["elevenlabs", "deepgram", "jambonz", "mcp"] as const;

export type DialectName = (typeof DIALECTS)[number];

export function readDialects(environment: Environment): DialectName[] {
  const value = text(environment, "LOQUAT_DIALECTS");
  if (value.trim() === "none") return [];
  const names = value.split(",").map((name) => name.trim().toLowerCase());
  const wrong = names.find((name) => !DIALECTS.some((dialect) => dialect === name));
  if (wrong !== undefined)
    throw new ConfigError(`LOQUAT_DIALECTS has "${wrong}". It takes ${DIALECTS.join(", ")}, or none.`);
  return DIALECTS.filter((dialect) => names.includes(dialect));
}
