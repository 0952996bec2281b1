/** `loquat upstream`: servers elsewhere whose models and voices this server offers. */
import type { Command } from "@commander-js/extra-typings";
import { readConfig } from "../../config/config.ts";
import { presetSchema } from "../../upstreams/dialects/preset.ts";
import { tryUpstream } from "../../upstreams/operations.ts";
import { openUpstreamSet, type UpstreamSet } from "../../upstreams/upstreams.ts";
import { JSON_OPTION, printFinding, printJson, printList, UsageError } from "../base/output.ts";
import { addCommand } from "./add.ts";
import { withUpstreams } from "./definitions.ts";

export function upstream(command: Command): void {
  addCommand(command);
  command
    .command("list")
    .description("List the upstreams and the models that they serve")
    .option(...JSON_OPTION)
    .action(({ json }) =>
      withUpstreams(async ({ set }) => printList(set.list().map(row), { columns, json })),
    );
  command
    .command("show")
    .description("Print the definition of an upstream, with the flags of its preset")
    .argument("<name>", "the upstream's name")
    .action((name) =>
      withUpstreams(async ({ set }) => {
        const { definition, preset } = named(set, name);
        printJson({ ...definition, flags: preset });
      }),
    );
  command
    .command("test")
    .description("Send each model of an upstream one request; exit code 1 if one fails")
    .argument("<name>", "the upstream's name")
    .option(...JSON_OPTION)
    .action((name, { json }) =>
      withUpstreams(async ({ set }) => {
        const results = await tryUpstream(set, named(set, name).definition);
        if (json) printJson({ object: "list", data: results });
        else
          for (const { model, ok, message } of results)
            printFinding(`${ok ? "ok      " : "failed  "} ${model}: ${message}`);
        if (results.some(({ ok }) => !ok)) process.exitCode = 1;
      }),
    );
  command
    .command("remove")
    .description("Remove an upstream; a running server follows within a second")
    .argument("<name>", "the upstream's name")
    .action((name) =>
      withUpstreams(async ({ set, admin }) => {
        const { source } = named(set, name);
        if (source === "folder")
          throw new UsageError(
            `${name} is a file of LOQUAT_MODELS: ${readConfig().models.folder}/upstreams.`,
          );
        await admin.remove(name);
      }),
    );
  presetsCommand(command);
}

function presetsCommand(command: Command): void {
  command
    .command("presets")
    .description("List the kinds of servers that are known")
    .option(...JSON_OPTION)
    .action(({ json }) => {
      const rows = [...openUpstreamSet(readConfig().models.folder).presets].map(([name, value]) => {
        const { value: preset, details } = presetSchema.check(value);
        if (details !== null) throw new Error(`the preset ${name} is damaged: ${JSON.stringify(details)}`);
        const { title, speech, transcription, chat, leaves_host, max_in_flight } = preset;
        const abilities = { speech, transcription, "language models": chat };
        const does = Object.entries(abilities).flatMap(([name, flags]) => (flags ? [name] : []));
        return { name, title, does, at_once: max_in_flight, leaves_host };
      });
      printList(rows, { columns: ["name", "does", "at_once", "leaves_host", "title"], json });
    });
}

const columns = ["name", "preset", "urls", "models", "leaves_host", "source"] as const;

const row = ({ definition, preset, source }: ReturnType<UpstreamSet["list"]>[number]) => ({
  object: "upstream",
  name: definition.name,
  preset: definition.preset,
  urls: definition.urls,
  models: definition.models.map(({ model }) => model),
  leaves_host: preset.leaves_host,
  source,
});

function named(set: UpstreamSet, name: string) {
  const found = set.list().find(({ definition }) => definition.name === name);
  if (!found) throw new UsageError(`There is no upstream ${name}. See "loquat upstream list".`);
  return found;
}
