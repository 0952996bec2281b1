/**
 * Commands in messages, as users can type them: in a checkout, `loquat` is on the PATH only after `npm link`, and an
 * executable has the name of its file.
 */
import { realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isPacked, resource } from "../../resources.ts";

const COMMAND = /(?<=^|[\s"`(])loquat(?= [a-z])/gm;

type Place = {
  /** The working directory. */
  folder: string;
  /** What runs. */
  program: string;
  isExecutable: boolean;
  isOnPath: () => boolean;
};

const here = (): Place => ({
  folder: process.cwd(),
  program: isPacked ? process.execPath : join(realpathSync(resource(".")), "loquat"),
  isExecutable: isPacked,
  isOnPath: () => Bun.which("loquat") !== null,
});

/** The same text, with what can be typed in place of `loquat`. */
export function asTyped(text: string, given: Partial<Place> = {}): string {
  const { folder, program, isExecutable, isOnPath } = { ...here(), ...given };
  const isHere = dirname(program) === folder;
  if ((!isHere && !isExecutable) || isOnPath()) return text;
  const typed = isHere ? `./${basename(program)}` : program;
  return text.replace(COMMAND, () => (typed.includes(" ") ? `'${typed}'` : typed));
}
