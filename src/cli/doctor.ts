/** `loquat doctor`: what is installed, which models are ready, what is missing and how to get it. */
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { readConfig } from "../config.ts";
import { devicesFor } from "../engine/devices.ts";
import { readiness, sileroReadiness } from "../engine/families/installed.ts";
import { buildCatalogue } from "../models/catalogue.ts";
import { readManifests } from "../models/manifest.ts";
import { openModelStore, runnable } from "../models/store/model-store.ts";
import { sileroOf, worker } from "../server/engine-specs.ts";
import { printLine } from "./output.ts";

/** What keeps a process that decodes uploads or runs eSpeak NG apart from the server, and where it can be had. */
const LAYERS: Record<string, string> = {
  user: "a user of its own: on Linux, where the server runs as root",
  untraced: "memory that others of its user cannot read: on Linux",
  landlock: "Landlock: on Linux 5.13 or later, where it is switched on",
  limits: "limits of memory and descriptors: on Linux",
  seccomp: "seccomp: on Linux of x86_64 or aarch64",
};

export async function doctor(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { json: { type: "boolean" } } });
  const config = readConfig();
  const { models, data, engine } = config;
  const store = openModelStore(models.weights);
  const engines = [...readiness(), sileroReadiness(sileroOf(config, store))];
  const ready = new Set(engines.flatMap(({ family, missing }) => (missing === null ? [family] : [])));
  const packages = store.list().map(({ package: own }) => ({ name: own.name, version: own.version }));
  const device = [...devicesFor(engine.device), "cpu"];
  const { entries } = buildCatalogue(readManifests(models.folder), runnable(store, ready));
  const found = entries.map(({ id, version }) => ({ id, version: version?.version ?? null }));
  const confinement = await confinementHere();
  const report = {
    bun: Bun.version,
    data: data.folder,
    device,
    engines,
    confinement,
    packages,
    models: found,
  };
  if (values.json) return printLine(JSON.stringify(report, null, 2));
  printLine(`Bun ${Bun.version}, data in ${data.folder}, catalogue in ${models.folder}\n`);
  for (const { what, missing, how } of engines) {
    printLine(
      missing === null
        ? `  ready    ${what}`
        : `  missing  ${what}\n           ${missing} is not here. To get it: ${how}`,
    );
  }
  printLine("\n  decoders and eSpeak NG run confined:");
  for (const [layer, how] of Object.entries(confinement))
    printLine(how === null ? `  missing  ${LAYERS[layer]}` : `  ready    ${layer}: ${how}`);
  printLine(`\n  models run on ${device.join(", else on ")}, ${engine.threads} threads`);
  for (const { name, version } of packages) printLine(`  ready    package ${name} ${version}`);
  printLine("");
  for (const { id, version } of found)
    printLine(version ? `  ready    ${id} ${version}` : `  missing  ${id}: no version is installed`);
}

/** As a process finds it out that confines itself. */
async function confinementHere(): Promise<Record<string, string | null>> {
  const child = Bun.spawn([process.execPath, fileURLToPath(worker("sandbox/confinement"))], {
    env: {},
    cwd: "/",
    stdin: "ignore",
    stderr: "ignore",
  });
  const printed = await child.stdout.text();
  return (await child.exited) === 0
    ? JSON.parse(printed)
    : Object.fromEntries(Object.keys(LAYERS).map((layer) => [layer, null]));
}
