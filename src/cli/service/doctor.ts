/** `loquat doctor`: what is installed, which models are ready, what is missing and how to install it. */

import type { Command } from "@commander-js/extra-typings";
import { systemClock } from "../../clock.ts";
import { isFar } from "../../cluster/node.ts";
import { type Config, readConfig } from "../../config/config.ts";
import { type SellingNeed, sellingNeeds } from "../../config/selling-needs.ts";
import { openAliasRows } from "../../db/queries/alias-rows.ts";
import { type SeenNodes, seenNodes } from "../../db/seen-nodes.ts";
import { devicesFor } from "../../engine/devices.ts";
import { readiness, sileroReadiness } from "../../engine/families/installed.ts";
import { installedRuntime, missingRuntime } from "../../engine/gpu/runtime.ts";
import { workerProcess } from "../../engine/worker-process.ts";
import { BELONGING_FAULTS, type Belonging, belongingOf } from "../../files/file-storage.ts";
import { mergeAliases, readAliases } from "../../models/aliases.ts";
import { catalogueReader } from "../../models/store/installed-catalogue.ts";
import { openModelStore } from "../../models/store/model-store.ts";
import { worker } from "../../resources.ts";
import { sileroOf } from "../../server/engines/engine-specs.ts";
import { migratesConnections } from "../../server/lifecycle/take-over.ts";
import { installationId, newestPart, openFileStorage } from "../../server/own-files.ts";
import { hasDatabase, openStorage } from "../../server/storage.ts";
import { languageModels } from "../../upstreams/definition.ts";
import { type Tried, tryLanguageModels } from "../../upstreams/operations.ts";
import { type EndingModel, endingModels } from "../../upstreams/shutdown-dates.ts";
import { counted } from "../base/counted.ts";
import { knownUpstreams, upstreamsWithEnvironment } from "../base/known-upstreams.ts";
import { JSON_OPTION, note, printFinding, printJson, printLine } from "../base/output.ts";

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
    `\n  Models run on ${device.join(", else on ")}, with ${counted(config.engine.threads, "thread")}. See also: loquat gpu status`,
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

/** What `loquat doctor` finds of models whose servers switch them off on a day that is known. */
export async function examineEndings(): Promise<EndingModel[]> {
  const upstreams = (await knownUpstreams()).list();
  const shipped = readAliases(readConfig().models.folder);
  return endingModels(upstreams, mergeAliases(shipped, await storedAliases()));
}

async function storedAliases() {
  const config = readConfig();
  if (!hasDatabase(config)) return [];
  try {
    await using storage = await openStorage(config);
    return await openAliasRows(storage.database).list();
  } catch (error) {
    note(`The names of the database are left out: ${(error as Error).message}`);
    return [];
  }
}

export function printEndings(endings: EndingModel[]): void {
  for (const { upstream, model, names, shutdownDate } of endings) {
    const leading = names.length === 0 ? "" : `\n           Names that lead to it: ${names.join(", ")}`;
    printFinding(`  ends     ${model} of ${upstream} on ${shutdownDate}${leading}`);
  }
}

/** Null where there is no database yet. `missing`: what is wrong, in a sentence. */
type FilesReport = { place: string; missing: string | null } | null;

/** What `loquat doctor` finds of the storage of files: whether it answers, is this installation's, and has what was stored. */
export async function examineFiles(config: Config): Promise<FilesReport> {
  if (!hasDatabase(config)) return null;
  const storage = await openFileStorage(config);
  const { place } = storage;
  try {
    await using database = await openStorage(config);
    const belonging = await belongingOf(storage, await installationId(database.accounts));
    const fault = (BELONGING_FAULTS as Partial<Record<Belonging, string>>)[belonging];
    if (fault) return { place, missing: fault };
    const part = await newestPart(database.database);
    if (part !== null && (await storage.get(part)) === null) return { place, missing: NOT_SHARED };
    return { place, missing: storage.hasRoom(0) ? null : "its disk is 90 % full: files are refused" };
  } catch (error) {
    return { place, missing: (error as Error).message };
  }
}

const NOT_SHARED = "it lacks files that were sent: all nodes of a database need the same storage";

export function printFiles(report: FilesReport): void {
  if (report === null) return;
  const { place, missing } = report;
  printFinding(
    missing === null ? `  ready    files in ${place}` : `  missing  files in ${place}: ${missing}`,
  );
}

type AskedModel = Tried & { upstream: string };

const LIMIT_MS = 150_000; // a server may load the model first

/**
 * What `loquat doctor` finds of language models: whether each writes a token, or what fails.
 *
 * All upstreams at once.
 */
export async function examineLanguageModels(): Promise<AskedModel[]> {
  const set = await upstreamsWithEnvironment();
  const asked = set
    .list()
    .map(({ definition }) => definition)
    .filter((definition) => languageModels(definition).length > 0)
    .map(async (definition) => {
      const tried = await tryLanguageModels(set, definition, AbortSignal.timeout(LIMIT_MS));
      return tried.map((each) => ({ ...each, upstream: definition.name }));
    });
  return (await Promise.all(asked)).flat();
}

export function printLanguageModels(asked: AskedModel[]): void {
  for (const { model, upstream, ok, message } of asked)
    printFinding(`  ${ok ? "ready " : "failed"}   language model ${model} of ${upstream}: ${message}`);
}

/**
 * What `loquat doctor` finds of the nodes that share a database: their versions and clocks.
 *
 * Null where the database is embedded.
 */
export type NodeReport = (Partial<SeenNodes> & { missing: string | null }) | null;

export async function examineNodes({ data }: Config): Promise<NodeReport> {
  if (data.url === null) return null;
  try {
    return { ...(await seenNodes(data.url, systemClock.now)), missing: null };
  } catch (error) {
    return { missing: (error as Error).message };
  }
}

export function printNodes(report: NodeReport): void {
  if (report === null) return;
  const { missing, skewMs = 0, nodes = [] } = report;
  printLine("");
  if (missing !== null) return void printFinding(`  missing  PostgreSQL: ${missing}`);
  printFinding(
    isFar(skewMs)
      ? `  missing  the right time: this clock is ${skewText(skewMs)} the database's`
      : "  ready    PostgreSQL",
  );
  for (const { id, address, version, draining } of nodes)
    printFinding(`  ready    node ${id} at ${address}, ${version}${draining ? ", draining" : ""}`);
  for (const { id, skewMs } of nodes.filter((node) => isFar(node.skewMs)))
    printFinding(`  missing  the right time on node ${id}: its clock is ${skewText(skewMs)} the database's`);
  const versions = new Set(nodes.map(({ version }) => version));
  if (versions.size > 1) printFinding(`  missing  one version: nodes run ${[...versions].join(" and ")}`);
}

const skewText = (skewMs: number) =>
  `${Math.round(Math.abs(skewMs) / 1000)} s ${skewMs > 0 ? "ahead of" : "behind"}`;

/**
 * What `loquat doctor` finds missing on a server whose first organization is prepaid: one that sells.
 *
 * Empty where nothing is sold.
 */
export async function examineSelling(): Promise<SellingNeed[]> {
  const config = readConfig();
  if (!hasDatabase(config)) return [];
  try {
    await using storage = await openStorage(config);
    const { accounts } = storage;
    const first = await accounts.firstOrganization();
    const organization = first === null ? null : await accounts.organization(first);
    if (organization?.plan !== "prepaid") return [];
    return sellingNeeds(config, await accounts.signUpPolicy(config.identity.signUp));
  } catch (error) {
    note(`What is needed to sell is left out: ${(error as Error).message}`);
    return [];
  }
}

export function printSelling(needs: SellingNeed[]): void {
  if (needs.length === 0) return;
  printLine("\n  Ready to sell:");
  for (const { name, isMet, remedy } of needs)
    printFinding(isMet ? `  ready    ${name}` : `  missing  ${name}\n           ${remedy}`);
}
