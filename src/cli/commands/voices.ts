/** `loquat voices`: the voices that are installed, as the API lists them, those of an organization, and its speakers' consents. */
import { readFileSync } from "node:fs";
import type { Command } from "@commander-js/extra-typings";
import { readConfig } from "../../config/config.ts";
import { soleClaim } from "../../engine/runner.ts";
import { voiceObject } from "../../models/objects.ts";
import { chooseCloning } from "../../models/own-voice.ts";
import { openInference } from "../../server/inference.ts";
import type { Storage } from "../../server/storage.ts";
import { encodeVoice } from "../../voices/encode-voice.ts";
import { decodeParts, type Reference, STATEMENT } from "../../voices/reference.ts";
import { ORG_OPTION, organizationOf, withStorage } from "../base/context.ts";
import { JSON_OPTION, note, printJson, printLine, printList, UsageError } from "../base/output.ts";
import { openCatalogue } from "../models/installed/packages.ts";
import { openScratch } from "../speech/scratch.ts";

const COLUMNS = ["id", "name", "locale", "gender", "models"] as const;
const MADE_COLUMNS = ["id", "name", "model", "consent"] as const;
const CONSENT_COLUMNS = ["id", "name", "language"] as const;

export function voices(command: Command): void {
  command
    .command("list")
    .description("List the installed voices and the models that have them")
    .option(...JSON_OPTION)
    .action(async ({ json }) => {
      const catalogue = await openCatalogue();
      const rows = catalogue.voices.map((voice) => ({ ...voiceObject(voice), models: voice.models }));
      printList(rows, { columns: COLUMNS, json });
    });
  command
    .command("made")
    .description("List the voices that an organization has made")
    .option(...ORG_OPTION)
    .option(...JSON_OPTION)
    .action(({ org, json }) =>
      withStorage(async (storage) => {
        const rows = await storage.voices.list(await organizationOf(storage, org));
        printList(rows, { columns: MADE_COLUMNS, json });
      }),
    );
  command
    .command("add")
    .description("Make a voice of a recording of 3 to 30 seconds, with the speaker's consent")
    .argument("<name>", "what the voice is called")
    .argument("<file>", "the recording")
    .requiredOption("--consent <text>", "that the speaker agrees, in writing, or @FILE: a recording of it")
    .option("--model <id>", "a text-to-speech model (default: the best that can)")
    .option("--language <tag>", "what the voice will mostly speak")
    .option(...ORG_OPTION)
    .option(...JSON_OPTION)
    .action((name, file, options) => withStorage((storage) => add(storage, { ...options, name, file })));
  command
    .command("delete")
    .description("Delete a voice that an organization has made, with its recording and consent")
    .argument("<id>", "the id of the voice")
    .option(...ORG_OPTION)
    .action((id, { org }) =>
      withStorage(async (storage) => {
        if (!(await storage.voices.remove(await organizationOf(storage, org), id)))
          throw new UsageError(`There is no voice ${id}. See "loquat voices made".`);
      }),
    );
  consents(command.command("consents").description("Consents of speakers: list and delete"));
}

function consents(command: Command): void {
  command
    .command("list")
    .description("List the consents of an organization's speakers")
    .option(...ORG_OPTION)
    .option(...JSON_OPTION)
    .action(({ org, json }) =>
      withStorage(async (storage) => {
        const page = { after: null, limit: storage.voices.max };
        const rows = await storage.consents.list(await organizationOf(storage, org), page);
        printList(rows, { columns: CONSENT_COLUMNS, json });
      }),
    );
  command
    .command("delete")
    .description("Delete a consent; voices that were made with it stay")
    .argument("<id>", "the id of the consent")
    .option(...ORG_OPTION)
    .action((id, { org }) =>
      withStorage(async (storage) => {
        if (!(await storage.consents.remove(await organizationOf(storage, org), id)))
          throw new UsageError(`There is no consent ${id}. See "loquat voices consents list".`);
      }),
    );
}

type Addition = {
  name: string;
  file: string;
  consent: string;
  model?: string | undefined;
  language?: string | undefined;
  org?: string | undefined;
  json?: true | undefined;
};

async function add(storage: Storage, { name, file, ...rest }: Addition) {
  const organizationId = await organizationOf(storage, rest.org);
  if (name.trim() === "" || name.length > 100) throw new UsageError("A name has 1 to 100 characters.");
  const consent = consentOf(rest.consent);
  await storage.voices.checkRoom(organizationId);
  using scratch = openScratch();
  const config = readConfig();
  await using inference = openInference({ ...config, data: { ...config.data, folder: scratch.folder } });
  const chosen = chooseCloning(inference.catalogue, {
    model: rest.model ?? null,
    language: rest.language ?? null,
  });
  const claim = soleClaim();
  const made = await decodeParts(inference.decoder, { recording: readFileSync(file), consent }, claim);
  for (const warning of made.warnings) note(warning);
  const { registry } = inference;
  const encoding = await encodeVoice(made.samples, { registry, engine: chosen.engine, claim });
  const voice = await storage.voices.create({
    ...{ organizationId, name: name.trim(), model: chosen.id, engine: chosen.engine },
    ...{ durationMs: Math.round(made.seconds * 1000), ...made.agreed },
    parts: { ...made.parts, [`encoding:${chosen.engine}`]: encoding },
  });
  if (rest.json) printJson(voice);
  else printLine(voice.id);
}

function consentOf(text: string): Reference["consent"] {
  if (text.startsWith("@")) return { kind: "recording", file: readFileSync(text.slice(1)) };
  const { length } = text.trim();
  if (length < STATEMENT.min || length > STATEMENT.max)
    throw new UsageError(`A consent in writing has ${STATEMENT.min} to ${STATEMENT.max} characters.`);
  return { kind: "statement", text: text.trim() };
}
