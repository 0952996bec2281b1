/** Which server commands ask, and with which key. */
import { address, type Environment } from "./environment.ts";
import { type Secret, secret } from "./secrets.ts";

/** Null: that of this machine, and its first key. */
export type ClientSettings = { server: string | null; key: Secret | null };

export const readClient = (environment: Environment): ClientSettings => ({
  server: address(environment, "LOQUAT_SERVER"),
  key: secret(environment, "LOQUAT_KEY"),
});
