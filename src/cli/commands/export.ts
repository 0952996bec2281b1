/** `loquat export`: all that is kept of an organization, in one archive, as its owners download it. */
import { rmSync } from "node:fs";
import { open } from "node:fs/promises";
import type { Command } from "@commander-js/extra-typings";
import { noteExport } from "../../api/management/handlers/export-handlers.ts";
import { byteText } from "../../byte-text.ts";
import { systemClock } from "../../clock.ts";
import { readConfig } from "../../config/config.ts";
import { openProcessLog } from "../../log/log.ts";
import { archiveOf } from "../../server/organization-archive.ts";
import type { Storage } from "../../server/storage.ts";
import { ORG_OPTION, organizationOf, withStorage } from "../base/context.ts";
import { attempted } from "../base/destination.ts";
import { addDetails } from "../base/details.ts";
import { onInterrupt } from "../base/interrupt.ts";
import { knownUpstreams } from "../base/known-upstreams.ts";
import { note, UsageError } from "../base/output.ts";
import { openCatalogue } from "../models/installed/packages.ts";

type Content = AsyncIterable<Uint8Array | string>;

export function exportOrganization(command: Command): void {
  command
    .argument("[file]", "the .zip to write; - is standard output (default: named after organization and day)")
    .option(...ORG_OPTION)
    .action((file, { org }) => withStorage((storage) => run(storage, { file, org })));
  addDetails(
    command,
    `The archive is the one that owners download under Settings: members, projects,
keys without secrets, requests, usage, credit, payments, voices with their
recordings, pronunciations, jobs and the audit log. The server may run
meanwhile. Only you can read the file, and no existing file is overwritten.`,
  );
}

type Options = { file: string | undefined; org: string | undefined };

async function run(storage: Storage, { file, org }: Options): Promise<void> {
  const config = readConfig();
  const organizationId = await organizationOf(storage, org);
  const upstreams = await knownUpstreams();
  const { name, content } = await archiveOf(
    config,
    {
      ...{ storage, upstreams, catalogue: await openCatalogue(upstreams) },
      ...{ clock: systemClock, log: openProcessLog(config.log) },
    },
    { organizationId, signal: new AbortController().signal },
  );
  const noted = () => noteExport(storage, organizationId);
  if (file === "-") return print(content, noted);
  const path = file ?? name;
  note(`${path}  ${byteText(await write(path, content, noted))}`);
}

async function print(content: Content, begun: () => Promise<void>): Promise<void> {
  if (process.stdout.isTTY) throw new UsageError("Standard output is a terminal. Name a file.");
  await begun();
  for await (const chunk of content) await Bun.write(Bun.stdout, chunk);
}

/** Returns its size. What is not whole is removed. */
async function write(path: string, content: Content, begun: () => Promise<void>): Promise<number> {
  const file = await attempted(path, open(path, "wx", 0o600).catch(explained));
  const remove = () => rmSync(path, { force: true });
  using _ = onInterrupt(remove);
  try {
    await begun();
    for await (const chunk of content) await attempted(path, file.appendFile(chunk));
    return (await file.stat()).size;
  } catch (error) {
    remove();
    throw error;
  } finally {
    await file.close();
  }
}

function explained(error: NodeJS.ErrnoException): never {
  if (error.code !== "EEXIST") throw error;
  throw new Error("it exists already. Name another file, or remove it.");
}
