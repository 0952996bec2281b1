/** `loquat usage`: what an organization used since it exists, and what it cost. */
import type { Command } from "@commander-js/extra-typings";
import { roundSeconds } from "../../ledger/booking/seconds.ts";
import { ORG_OPTION, organizationOf, withStorage } from "../base/context.ts";
import { counted } from "../base/counted.ts";
import { JSON_OPTION, printJson, printLine } from "../base/output.ts";
import { formatDollars } from "../base/values.ts";

export function usage(command: Command): void {
  command
    .option(...ORG_OPTION)
    .option(...JSON_OPTION)
    .action(({ org, json }) =>
      withStorage(async (storage) => {
        const id = await organizationOf(storage, org);
        const { requests, characters, audioSeconds, tokens, costMicros } = await storage.ledger.totals(id);
        const seconds = roundSeconds(audioSeconds);
        if (json)
          return printJson({
            organization_id: id,
            requests,
            characters,
            audio_seconds: seconds,
            tokens,
            cost_micros: costMicros,
          });
        const llm = tokens === 0 ? "" : `${counted(tokens, "token")} of language models, `;
        printLine(
          `${counted(requests, "request")} billed: ${counted(characters, "character")}, ${seconds} s of audio, ${llm}${formatDollars(costMicros)}.`,
        );
      }),
    );
}
