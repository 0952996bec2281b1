/**
 * The voices that organizations make of their own, from recordings or as blends of others.
 *
 *   voice         name, model, duration          found by organization and id, read for every request that names it
 *   voice parts   recording, consent, encodings  encrypted; encodings are kept in memory, because they never change
 *
 * Whether a voice exists is asked of the database each time, so one that was deleted is gone on every node at once.
 */

import { created, openAudit } from "../audit/audit-events.ts";
import { type Clock, unixSeconds } from "../clock.ts";
import type { Database } from "../db/database.ts";
import { type EncryptionSecrets, openEncryption } from "../db/encryption.ts";
import { openVoiceRows, type VoiceRow } from "../db/queries/voice-rows.ts";
import type { VoiceStyle } from "../engine/protocol/voice-encoding.ts";
import { Refusal, unavailableOnError } from "../errors.ts";
import { newId } from "../ids.ts";
import type { BoundVoice, Catalogue } from "../models/catalogue.ts";
import { ownVoiceListed } from "../models/own-voice.ts";
import { TransientMap } from "../transient.ts";
import { readEncoding } from "./encoding.ts";

export type OwnVoice = VoiceRow;

/** Of an engine: what it has encoded. */
type VoicePart = "recording" | "consent" | `encoding:${string}`;

export type NewVoice = Pick<OwnVoice, "organizationId" | "name" | "model"> &
  Partial<Pick<OwnVoice, "id" | "engine" | "blend" | "durationMs" | "consent" | "consentId">> & {
    parts: Partial<Record<VoicePart, Uint8Array>>;
  };

export type Voices = {
  /** How many an organization may have. */
  readonly max: number;
  /** The oldest first. */
  list(organizationId: string): Promise<OwnVoice[]>;
  /** Null where there is none, or it is another organization's. */
  find(organizationId: string, id: string): Promise<OwnVoice | null>;
  /** Refuses where the organization has no room for another. */
  checkRoom(organizationId: string): Promise<void>;
  create(voice: NewVoice): Promise<OwnVoice>;
  /** False where there is none. */
  remove(organizationId: string, id: string): Promise<boolean>;
  /** Null where the voice has no such part. Refuses one that the server's secret does not open. */
  read(voice: OwnVoice, part: VoicePart): Promise<Buffer | null>;
  /** Keeps what another engine has encoded. */
  keepEncoding(voice: OwnVoice, engine: string, encoding: Uint8Array): Promise<void>;
  /** What an engine has encoded of the voice; null where it has not. */
  style(voice: OwnVoice, engine: string): Promise<VoiceStyle | null>;
};

/** The voice that a request makes, so that the same request sent again finds it. */
export const voiceIdOf = (requestId: string): string => requestId.replace(/^req_/, "voice_");

const isVoiceId = (name: string): boolean => /^voice_[0-9a-z]{24}$/.test(name);

type VoicesOptions = { clock: Clock; secrets: EncryptionSecrets; max: number };

export function openVoices(database: Database, { clock, secrets, max }: VoicesOptions): Voices {
  const audit = openAudit(database, clock);
  const rows = openVoiceRows(database);
  const encryption = openEncryption("loquat voices", secrets);
  const styles = openStyleCache();
  const read = async ({ id }: OwnVoice, part: VoicePart): Promise<Buffer | null> => {
    const sealed = await rows.part(id, part);
    return sealed && ((await encryption.decrypt(placeOf(id, part), sealed)) ?? unreadable(id));
  };
  const checkRoom = async (organizationId: string) => {
    if ((await rows.count(organizationId)) >= max) throw full(max);
  };
  const sealedPart = async (voiceId: string, part: string, text: Uint8Array) => ({
    voiceId,
    part,
    sealed: await encryption.encrypt(placeOf(voiceId, part), text),
  });
  return {
    max,
    list: rows.list,
    find: async (organizationId, id) => (isVoiceId(id) ? rows.find(organizationId, id) : null),
    checkRoom,
    async create({ parts, ...fields }) {
      await checkRoom(fields.organizationId);
      const row = rowOf(fields, clock);
      const texts = Object.entries(parts).flatMap(([part, text]) => (text ? [{ part, text }] : []));
      const sealed = await Promise.all(texts.map(({ part, text }) => sealedPart(row.id, part, text)));
      await rows.insert(row, sealed);
      if ((await rows.count(row.organizationId)) <= max) {
        const { organizationId, id: resourceId, name } = row;
        await audit.note([
          {
            ...{ type: "voice.created", organizationId, resourceId, changes: created({ name }) },
            raises: { type: "voice.created", data: { id: resourceId } },
          },
        ]);
        return row;
      }
      await rows.delete(row.organizationId, row.id); // others were made at the same time
      throw full(max);
    },
    async remove(organizationId, id) {
      const isGone = await rows.delete(organizationId, id);
      if (!isGone) return false;
      styles.forget(`${id}/`);
      await audit.note([
        {
          ...{ type: "voice.deleted", organizationId, resourceId: id },
          raises: { type: "voice.deleted", data: { id } },
        },
      ]);
      return true;
    },
    read,
    keepEncoding: async ({ id }, engine, encoding) =>
      rows.add(await sealedPart(id, `encoding:${engine}`, encoding)),
    async style(voice, engine) {
      const key = `${voice.id}/${engine}`;
      const known = styles.get(key);
      if (known) return known;
      const bytes = await read(voice, `encoding:${engine}`);
      if (bytes === null) return null;
      const style = { ...readEncoding(bytes), id: key };
      styles.put(key, style);
      return style;
    },
  };
}

const rowOf = (fields: Omit<NewVoice, "parts">, clock: Clock): VoiceRow => ({
  id: newId("voice", clock),
  engine: null,
  blend: null,
  durationMs: null,
  consent: null,
  consentId: null,
  ...fields,
  kind: fields.blend ? "blend" : "recording",
  createdAt: unixSeconds(clock),
});

const placeOf = (voiceId: string, part: string): string => `${voiceId}/${part}`;

const full = (max: number) =>
  new Refusal(
    "too_many_voices",
    `Your organization has ${max} voices of its own, which is as many as it may have. Delete one first.`,
  );

export function unreadable(id: string): never {
  throw new Refusal(
    "voice_unreadable",
    `${id} was encrypted with another secret than the server has now. Its operator can set LOQUAT_SECRET to the former one.`,
    { param: "voice" },
  );
}

/** `cloning`: whether the operator allows voices that are made of recordings. */
export type OwnVoices = { voices: Voices; cloning: boolean };

type Organization = { organizationId: string };

/** Null where the name is no id of one of its voices. Refuses one that the operator has switched off. */
export const ownVoiceNamed = (
  ownVoices: OwnVoices,
  organization: Organization,
  name: string,
): Promise<OwnVoice | null> | null => (isVoiceId(name) ? findOwnVoice(ownVoices, organization, name) : null);

async function findOwnVoice(
  { voices, cloning }: OwnVoices,
  { organizationId }: Organization,
  name: string,
): Promise<OwnVoice | null> {
  const ownVoice = await unavailableOnError("The voices", voices.find(organizationId, name));
  if (ownVoice?.kind === "recording" && !cloning) throw noCloning();
  return ownVoice;
}

/** Those that an installed model speaks with, and what is stored of them. */
export async function ownVoicesWithin(
  { voices, cloning }: OwnVoices,
  { organizationId }: Organization,
  catalogue: Catalogue,
): Promise<{ own: OwnVoice; bound: BoundVoice }[]> {
  const all = await unavailableOnError("The voices", voices.list(organizationId));
  return all
    .filter(({ kind }) => cloning || kind === "blend")
    .flatMap((own) => {
      const bound = ownVoiceListed(catalogue, own);
      return bound ? [{ own, bound }] : [];
    });
}

export async function ownVoicesListed(
  ownVoices: OwnVoices,
  organization: Organization,
  catalogue: Catalogue,
): Promise<BoundVoice[]> {
  return (await ownVoicesWithin(ownVoices, organization, catalogue)).map(({ bound }) => bound);
}

export const noCloning = () =>
  new Refusal("voice_cloning_disabled", "The operator of this server has switched voice cloning off.");

const BYTES_MAX = 64 * 1024 * 1024;

/** The voices that were spoken with last, decrypted: those that fit into a number of bytes. */
export type StyleCache = {
  get(key: string): VoiceStyle | null;
  put(key: string, style: VoiceStyle): void;
  /** Whatever begins so. */
  forget(prefix: string): void;
};

/** @internal */
export function openStyleCache(bytesMax = BYTES_MAX): StyleCache {
  const kept = new TransientMap<string, VoiceStyle>();
  let bytes = 0;
  const drop = (key: string) => {
    bytes -= kept.get(key)?.data.byteLength ?? 0;
    kept.delete(key);
  };
  return {
    get(key) {
      const style = kept.get(key);
      if (style === undefined) return null;
      kept.delete(key); // last again
      kept.set(key, style);
      return style;
    },
    forget(prefix) {
      for (const key of [...kept.keys()]) if (key.startsWith(prefix)) drop(key);
    },
    put(key, style) {
      drop(key);
      kept.set(key, style);
      bytes += style.data.byteLength;
      while (bytes > bytesMax) drop(kept.keys().next().value!);
    },
  };
}
