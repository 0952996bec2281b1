/** `loquat version`: the version, the flavour and the platform of this program, and the schema of its database. */
import type { Command } from "@commander-js/extra-typings";
import { JSON_OPTION, printJson, printLine } from "../base/output.ts";
import { identity } from "../upgrade/identity.ts";

export function version(command: Command): void {
  command.option(...JSON_OPTION).action(({ json }) => {
    const here = identity();
    if (json) return printJson(here);
    printLine(`Loquat ${here.version}, ${here.flavour ?? "checkout"}, ${here.platform}, Bun ${Bun.version}`);
    printLine(`schema ${here.schema.sqlite.tag} (SQLite), ${here.schema.postgres.tag} (PostgreSQL)`);
  });
}
