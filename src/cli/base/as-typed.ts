/** Commands in messages, as users can type them: in a checkout, `loquat` is on the PATH only after `npm link`. */
import { realpathSync } from "node:fs";
import { isPacked, resource } from "../../resources.ts";

/** Null for an executable, which is called by its own name. */
const CHECKOUT = isPacked ? null : realpathSync(resource("."));
const COMMAND = /(?<=^|[\s"`(])loquat(?= [a-z])/gm;

/** The same text, with `./loquat` where that is what runs. */
export function asTyped(text: string, folder = process.cwd(), isOnPath = () => Bun.which("loquat") !== null) {
  return folder === CHECKOUT && !isOnPath() ? text.replace(COMMAND, "./loquat") : text;
}
