/** `loquat doctor`: what is installed, which models are ready, what is missing and how to install it. */
import type { Command } from "@commander-js/extra-typings";
import { readConfig } from "../../config/config.ts";
import { devicesFor } from "../../engine/devices.ts";
import { readiness, sileroReadiness } from "../../engine/families/installed.ts";
import { installedRuntime, missingRuntime } from "../../engine/gpu/runtime.ts";
import { workerProcess } from "../../engine/worker-process.ts";
import { catalogueReader } from "../../models/store/installed-catalogue.ts";
import { openModelStore } from "../../models/store/model-store.ts";
import { worker } from "../../resources.ts";
import { sileroOf } from "../../server/engines/engine-specs.ts";
import { migratesConnections } from "../../server/lifecycle/take-over.ts";
import { JSON_OPTION, printFinding, printJson, printLine } from "../base/output.ts";
import { examineEndings, printEndings } from "./doctor-endings.ts";
import { examineFiles, printFiles } from "./doctor-files.ts";
import { examineLanguageModels, printLanguageModels } from "./doctor-language-models.ts";
import { examineNodes, printNodes } from "./doctor-nodes.ts";
import { examineSelling, printSelling } from "./doctor-selling.ts";

/** The layers that confine the processes that decode uploads or run eSpeak NG, and where each is available. */
const LAYERS: Record<string, string> = {
  user: "a separate user: on Linux, when the server runs as root",
  untraced: "memory that other processes of its user cannot read: on Linux",
  landlock: "Landlock: on Linux 5.13 or later, if enabled",
  limits: "memory and descriptor limits: on Linux",
  seccomp: "seccomp: on Linux, x86_64 or aarch64",
};

export function doctor(command: Command): void {
  command.option(...JSON_OPTION).action(async ({ json }) => {
    const report = await examine();
    if (json) printJson(report);
    else print(report);
  });
}

async function examine() {
  const config = readConfig();
  const { models, data, engine, wyoming } = config;
  const store = openModelStore(models.weights);
  const engines = [...readiness(), sileroReadiness(sileroOf(config, store))];
  const ready = new Set(engines.flatMap(({ family, missing }) => (missing === null ? [family] : [])));
  const { entries } = catalogueReader(models, { store, embedded: () => ready })();
  return {
    bun: Bun.version,
    data: data.folder,
    runtime: missingRuntime(installedRuntime()),
    device: [...devicesFor(engine.device), "cpu"],
    engines,
    confinement: await confinementHere(),
    packages: store.list().map(({ package: { name, version } }) => ({ name, version })),
    damaged: [...store.damaged()].map(([name, fault]) => ({ name, fault })),
    models: entries.map(({ id, version }) => ({ id, version: version?.version ?? null })),
    language_models: await examineLanguageModels(),
    ending: await examineEndings(),
    migrates_connections: config.http.reusePort ? migratesConnections() : null,
    nodes: await examineNodes(config),
    selling: (await examineSelling()).map(({ isMet, ...need }) => ({ ...need, is_met: isMet })),
    files: await examineFiles(config),
    wyoming: wyoming && { host: config.http.host, port: wyoming.port, key: wyoming.keyId },
  };
}

function print(report: Report): void {
  const { bun, data, runtime, device, engines, confinement, packages, models, wyoming } = report;
  const config = readConfig();
  printLine(`Bun ${bun}, data in ${data}, catalogue in ${config.models.folder}\n`);
  for (const { what, missing, how } of engines)
    printFinding(
      missing === null
        ? `  ready    ${what}`
        : `  missing  ${what}\n           ${missing} is not installed. Install with: ${how}`,
    );
  printLine("\n  Confinement of decoders and eSpeak NG:");
  for (const [layer, how] of Object.entries(confinement))
    printFinding(how === null ? `  missing  ${LAYERS[layer]}` : `  ready    ${layer}: ${how}`);
  if (runtime !== null) printFinding(`  missing  neural models: ${runtime}`);
  printFinding(
    `\n  Models run on ${device.join(", else on ")}, with ${config.engine.threads} threads. See also: loquat gpu status`,
  );
  for (const { name, version } of packages) printFinding(`  ready    package ${name} ${version}`);
  for (const { name, fault } of report.damaged) printFinding(`  failed   package ${name}: ${fault}`);
  printLine("");
  for (const { id, version } of models)
    printFinding(version ? `  ready    ${id} ${version}` : `  missing  ${id}: no version is installed`);
  printLanguageModels(report.language_models);
  printEndings(report.ending);
  if (report.migrates_connections === false)
    printFinding(
      "  missing  a handover without resets\n           Run: sysctl -w net.ipv4.tcp_migrate_req=1 (LOQUAT_REUSE_PORT is set)",
    );
  printNodes(report.nodes);
  printSelling(report.selling.map(({ is_met, ...need }) => ({ ...need, isMet: is_met })));
  printFiles(report.files);
  if (wyoming)
    printLine(
      `\n  Wyoming, without authentication, on ${wyoming.host} port ${wyoming.port}: requests use ${wyoming.key}`,
    );
}

type Report = Awaited<ReturnType<typeof examine>>;

/** Asks a process that confines itself. */
async function confinementHere(): Promise<Record<string, string | null>> {
  const child = Bun.spawn({
    ...workerProcess(worker("sandbox/confinement")),
    cwd: "/",
    stdin: "ignore",
    stderr: "ignore",
  });
  const printed = await child.stdout.text();
  return (await child.exited) === 0
    ? JSON.parse(printed)
    : Object.fromEntries(Object.keys(LAYERS).map((layer) => [layer, null]));
}
