/** `loquat ledger verify`: recomputes every balance and compares it with what is stored. */
import type { Command } from "@commander-js/extra-typings";
import { differencesOf, sentenceOf } from "../../ledger/verify.ts";
import { withStorage } from "../base/context.ts";
import { counted } from "../base/counted.ts";
import { JSON_OPTION, printLine, printList } from "../base/output.ts";

export function ledger(command: Command): void {
  command
    .command("verify")
    .description("Recompute every balance, sum and log entry; exit code 1 if anything differs")
    .option(...JSON_OPTION)
    .action(verify);
}

async function verify({ json }: { json?: true | undefined }): Promise<void> {
  const audit = await withStorage(({ ledger }) => ledger.audit());
  const { accounts, grants } = audit;
  const differences = differencesOf(audit);
  if (json) printList(differences, { columns: [], json });
  else if (differences.length === 0)
    printLine(`${counted(accounts.length, "account")} and ${counted(grants.length, "grant")} add up.`);
  else for (const difference of differences) printLine(sentenceOf(difference));
  if (differences.length > 0) process.exitCode = 1;
}
