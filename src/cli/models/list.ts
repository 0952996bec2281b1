/** `loquat models list`: the models of the catalogue, and the packages that can be installed for them. */
import type { Command } from "@commander-js/extra-typings";
import { readConfig } from "../../config/config.ts";
import { devicesFor } from "../../engine/devices.ts";
import { installedFamilies } from "../../engine/families/installed.ts";
import { modelObject } from "../../models/objects.ts";
import type { Package } from "../../models/packages/package.ts";
import { sizeOf, sizeText } from "../../models/packages/size.ts";
import { thisMachine } from "../../models/pull/recommend.ts";
import { downloadSize } from "../../models/pull/selection.ts";
import { variantsIn } from "../../models/store/installed-variants.ts";
import { knownPackages } from "../../models/store/known-packages.ts";
import { ranOf, readSpeeds, speedText } from "../../models/store/measured-speeds.ts";
import { openModelStore } from "../../models/store/model-store.ts";
import { asTyped } from "../base/as-typed.ts";
import { type Column, JSON_OPTION, note, printJson, printLine, printTable } from "../base/output.ts";
import { damagedPackages, damagedText, openCatalogue } from "./installed/packages.ts";

type Model = ReturnType<typeof modelObject> & { installed: boolean };

const MODEL_COLUMNS: Column<Model>[] = [
  "id",
  "type",
  { title: "VERSION", text: ({ installed, public_version }) => (installed ? public_version : null) },
  "capabilities",
  {
    title: "LANGUAGES",
    text: ({ supported_languages: all }) => (all.length > LANGUAGES_MAX ? `${all.length} languages` : all),
    cut: true,
  },
];
const LANGUAGES_MAX = 10;

/** `speed`: seconds of audio for each second of work, as measured on this machine when it was installed. */
const PACKAGE_COLUMNS: Column<ReturnType<typeof rowOf> & { speed: number | null }>[] = [
  "name",
  {
    title: "INSTALLED",
    text: ({ installed, variants }) => [installed, ...variants].filter(Boolean).join(" "),
    sparse: true,
  },
  "size",
  { title: "SPEED", text: ({ speed }) => (speed === null ? null : `${speedText(speed)}x`), sparse: true },
  { title: "TITLE", text: ({ title }) => title, wrap: true },
];

export function list(command: Command): void {
  command
    .command("list")
    .description("List the models and the packages that can be installed")
    .option(...JSON_OPTION)
    .action(async ({ json }) => {
      const { engine, models } = readConfig();
      const store = openModelStore(models.weights);
      const catalogue = await openCatalogue();
      const encodesAac = installedFamilies().has("decode");
      const data = catalogue.entries.map((entry) => ({
        ...modelObject(entry, { encodesAac }),
        installed: entry.version !== null,
      }));
      const machine = thisMachine(devicesFor(engine.device).length > 0);
      const measured = readSpeeds(models.weights, machine.gpu);
      const packages = [...knownPackages(models, store).values()].map((known) => {
        const installed = store.installed(known.name)?.package ?? null;
        const speed = installed && measured(ranOf(installed, machine.gpu ? "gpu" : "cpu"));
        const bytes = installed ? sizeOf(installed.files) : downloadSize(known, machine);
        return { ...rowOf(known, installed, bytes), speed };
      });
      for (const damaged of damagedPackages([])) note(damagedText(damaged));
      if (json) return printJson({ object: "list", data, packages });
      printTable(data, MODEL_COLUMNS);
      printLine(asTyped("\nPackages, for `loquat models pull`:\n"));
      printTable(packages, PACKAGE_COLUMNS);
    });
}

function rowOf(known: Package, installed: Package | null, bytes: number | null) {
  return {
    name: known.name,
    family: known.family,
    title: known.title,
    license: known.license.spdx,
    installed: installed?.version ?? null,
    variants: variantsIn(installed?.files ?? []),
    size: sizeText(bytes),
    bytes,
  };
}
