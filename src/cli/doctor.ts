/** `loquat doctor`: what is installed, which models are ready, what is missing and how to get it. */
import { parseArgs } from "node:util";
import { buildCatalogue } from "../catalog/catalogue.ts";
import { readManifests } from "../catalog/manifest.ts";
import { readConfig } from "../config.ts";
import { devicesFor } from "../engine/devices.ts";
import { readiness, sileroReadiness } from "../engine/installed.ts";
import { sileroOf } from "../recipes.ts";
import { openShelf, runnable } from "../shelf/shelf.ts";
import { printLine } from "./output.ts";

export async function doctor(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { json: { type: "boolean" } } });
  const config = readConfig();
  const { models, data, engine } = config;
  const shelf = openShelf(models.weights);
  const engines = [...readiness(), sileroReadiness(sileroOf(config, shelf))];
  const ready = new Set(engines.flatMap(({ family, missing }) => (missing === null ? [family] : [])));
  const packages = shelf.list().map(({ package: own }) => ({ name: own.name, version: own.version }));
  const device = [...devicesFor(engine.device), "cpu"];
  const { entries } = buildCatalogue(readManifests(models.folder), runnable(shelf, ready));
  const found = entries.map(({ id, version }) => ({ id, version: version?.version ?? null }));
  if (values.json)
    return printLine(
      JSON.stringify(
        { bun: Bun.version, data: data.folder, device, engines, packages, models: found },
        null,
        2,
      ),
    );
  printLine(`Bun ${Bun.version}, data in ${data.folder}, catalogue in ${models.folder}\n`);
  for (const { what, missing, how } of engines) {
    printLine(
      missing === null
        ? `  ready    ${what}`
        : `  missing  ${what}\n           ${missing} is not here. To get it: ${how}`,
    );
  }
  printLine(`\n  models run on ${device.join(", else on ")}, ${engine.threads} threads`);
  for (const { name, version } of packages) printLine(`  ready    package ${name} ${version}`);
  printLine("");
  for (const { id, version } of found)
    printLine(version ? `  ready    ${id} ${version}` : `  missing  ${id}: no version is installed`);
}
