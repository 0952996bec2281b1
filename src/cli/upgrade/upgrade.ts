/** `loquat upgrade`: replaces the executable by another version, and hands over to it where a server runs. */
import { type Command, InvalidArgumentError } from "@commander-js/extra-typings";
import { readConfig } from "../../config/config.ts";
import { openHub } from "../../models/pull/hub.ts";
import { isPacked } from "../../resources.ts";
import { addDetails } from "../base/details.ts";
import { note, printLine, UsageError } from "../base/output.ts";
import { openProgressBar } from "../base/progress-bar.ts";
import { upgradeExecutable } from "./upgrade-executable.ts";

export function upgrade(command: Command): void {
  command
    .argument("<path|url>", "the new executable")
    .option("--sha256 <hex>", "its hash (default: from SHA256SUMS beside it)", hash)
    .option("--allow-older", "also take a version that is older than this one")
    .action(async (from, { sha256, allowOlder }) => {
      if (!isPacked)
        throw new UsageError("This is a checkout: upgrade it with git pull, and start it again.");
      using bar = openProgressBar();
      await upgradeExecutable(process.execPath, {
        from,
        sha256: sha256 ?? null,
        allowOlder: allowOlder ?? false,
        config: readConfig(),
        hub: openHub(null, { notice: bar.note }),
        progress: (bytes, total) => bar.update({ bytes, total }),
        print: printLine,
        note,
      });
    });
  addDetails(
    command,
    `Nothing is touched unless the file has its hash, runs here, is of the same
flavour, and is no older. A server of LOQUAT_DATA with LOQUAT_REUSE_PORT=1 then
starts the new version, which takes over on the same port when it is ready, and
ends when it has answered what it has taken. If the new version is not ready
within a minute, the file and the running server stay. The previous file is kept
beside the new one, as loquat.previous.

A server that cannot hand over goes on until it is restarted; why it cannot is
printed. Run this with the server's LOQUAT_DATA, as the owner of the file:
  sudo LOQUAT_DATA=/var/lib/loquat loquat upgrade ./loquat-linux-x64`,
  );
}

function hash(text: string): string {
  if (!/^[0-9a-f]{64}$/i.test(text)) throw new InvalidArgumentError("Expected 64 hexadecimal digits.");
  return text.toLowerCase();
}
