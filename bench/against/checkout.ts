/** Another checkout of Loquat beside this one, whose servers run in turns with it. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { CHECKOUT } from "../harness/server.ts";

export type Checkout = {
  folder: string;
  /** What runs it, without arguments. */
  command: readonly string[];
  /** Its server with an engine that responds immediately; undefined: this checkout's. */
  instant: string | undefined;
};

export const HERE: Checkout = {
  folder: fileURLToPath(new URL("../..", import.meta.url)),
  command: CHECKOUT,
  instant: undefined,
};

/** `folder`: where it is, with its packages installed. */
export const otherIn = (folder: string): Checkout => ({
  folder,
  command: [process.execPath, join(folder, "src/main.ts")],
  instant: join(folder, "bench/requests/instant.ts"),
});
