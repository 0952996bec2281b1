/** `loquat alias`: names of other services, and the models and voices that serve them. */
import { type Command, Option } from "@commander-js/extra-typings";
import { readConfig } from "../../config/config.ts";
import { installedFamilies } from "../../engine/families/installed.ts";
import type { AliasAdmin } from "../../models/alias-admin.ts";
import { ALIAS_KINDS, type AliasKind, aliasName, type ListedAlias } from "../../models/aliases.ts";
import type { Catalogue } from "../../models/catalogue.ts";
import { openAliases } from "../../server/live-aliases.ts";
import { withStorage } from "../base/context.ts";
import { type Column, JSON_OPTION, printJson, printLine, printList, UsageError } from "../base/output.ts";
import { openCatalogue } from "../models/installed/packages.ts";

const COLUMNS: Column<AliasRecord>[] = [
  { title: "NAME", text: ({ name }) => name || '""' },
  "kind",
  { title: "STANDS FOR", text: ({ targets }) => (targets.length > 0 ? targets : "switched off"), cut: true },
  { title: "FORMAT", text: ({ response_format }) => response_format },
  "source",
];

export function alias(command: Command): void {
  command
    .command("list")
    .description("List every alias, shipped and your own; a running server follows edits within a second")
    .option(...JSON_OPTION)
    .action(({ json }) =>
      withAliases(async (aliases) =>
        printList(aliases.current().map(aliasRecord), { columns: COLUMNS, json }),
      ),
    );
  command
    .command("set")
    .description("Set what a name stands for, such as: loquat alias set alloy female-warm")
    .argument("<name>", 'the name; "" stands for a model that is left empty')
    .argument("<target...>", "models or voices of the catalogue; the first that can do what is asked is used")
    .option("--format <format>", "the response format where a request names none, such as mp3")
    .addOption(kindOption("what kind of name it is (default: that of the target)"))
    .option(...JSON_OPTION)
    .action((name, targets, { format = null, kind, json }) =>
      withAliases(async (aliases, catalogue) => {
        const alias = { kind: kind ?? kindFor(catalogue, targets[0]!), name, targets, format };
        const saved = await aliases.set(alias);
        if (json) printJson(aliasRecord(saved));
        else printLine(sentenceOf(saved));
      }),
    );
  command
    .command("remove")
    .description("Remove a name of your own, or switch off a shipped one")
    .argument("<name>", "the name")
    .addOption(kindOption("which, where a model and a voice have this name"))
    .action((name, options) =>
      withAliases(async (aliases) => {
        const { kind } = named(aliases, name, options.kind);
        await aliases.remove(kind, name);
      }),
    );
  resetCommand(command);
}

function resetCommand(command: Command): void {
  command
    .command("reset")
    .description("Undo your changes to a name, or to all names")
    .argument("[name]", "the name (default: all)")
    .addOption(kindOption("which, where a model and a voice have this name"))
    .action((name, options) =>
      withAliases(async (aliases) => {
        if (name === undefined) return aliases.resetAll();
        const { kind } = named(aliases, name, options.kind);
        await aliases.reset(kind, name);
      }),
    );
}

const kindOption = (description: string) => new Option("--kind <kind>", description).choices(ALIAS_KINDS);

const withAliases = (work: (aliases: AliasAdmin, catalogue: Catalogue) => Promise<void>) =>
  withStorage(async (storage) => {
    const catalogue = await openCatalogue();
    const encodesAac = installedFamilies().has("decode");
    await work(await openAliases(readConfig(), storage, { catalogue, encodesAac }), catalogue);
  });

/** Models and voices have no name in common. */
function kindFor({ find, voices }: Catalogue, target: string): AliasKind {
  if (find(target)) return "model";
  if (voices.some(({ id, speaker }) => id === target || speaker === target)) return "voice";
  throw new UsageError(
    `There is no model or voice ${target}. See "loquat models list" and "loquat voices list".`,
  );
}

function named(aliases: AliasAdmin, name: string, kind: AliasKind | undefined): ListedAlias {
  const found = aliases
    .current()
    .filter((each) => each.name === aliasName(name) && (kind === undefined || each.kind === kind));
  if (found.length > 1)
    throw new UsageError(`${name} is an alias of several kinds. Add --kind ${found[0]!.kind}.`);
  if (found.length === 0) throw new UsageError(`There is no alias ${name}. See "loquat alias list".`);
  return found[0]!;
}

const aliasRecord = ({ format, ...rest }: ListedAlias) => ({
  object: "alias",
  ...rest,
  response_format: format,
});

type AliasRecord = ReturnType<typeof aliasRecord>;

const sentenceOf = ({ name, targets, format }: ListedAlias): string =>
  `${name || '""'} stands for ${targets.join(", ")}${format ? `, ${format} unless a request names a format` : ""}.`;
