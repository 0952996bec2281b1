/** Another checkout of Loquat beside this one, whose servers run in turns with it. */
import { join } from "node:path";
import { CHECKOUT } from "../harness/server.ts";

export type Checkout = {
  /** What runs it, without arguments. */
  command: readonly string[];
  /** Its server with an engine that responds immediately; undefined: this checkout's. */
  instant: string | undefined;
};

export const HERE: Checkout = { command: CHECKOUT, instant: undefined };

/** `folder`: where it is, with its packages installed. */
export const otherIn = (folder: string): Checkout => ({
  command: [process.execPath, join(folder, "src/main.ts")],
  instant: join(folder, "bench/requests/instant.ts"),
});
