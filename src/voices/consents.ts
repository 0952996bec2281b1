/**
 * The recordings in which speakers agree that voices are made of theirs. A consent may be used for any number of voices,
 * and outlives them; a voice keeps a copy of it.
 */
import { type Clock, unixSeconds } from "../clock.ts";
import type { Database } from "../db/database.ts";
import { type EncryptionSecrets, openEncryption } from "../db/encryption.ts";
import { type ConsentRow, openConsentRows } from "../db/queries/consent-rows.ts";
import { Refusal } from "../errors.ts";
import { newId } from "../ids.ts";
import { unreadable } from "./voices.ts";

export type Consent = ConsentRow;

/** `recording`: a WAV file. */
type NewConsent = Pick<Consent, "organizationId" | "name" | "language"> & {
  id?: string;
  recording: Uint8Array;
};

/** `after`: the id that the page follows, null for the first one. */
type ConsentPage = { after: string | null; limit: number };

export type Consents = {
  /** The newest first. */
  list(organizationId: string, page: ConsentPage): Promise<Consent[]>;
  /** Null where there is none, or it is another organization's. */
  find(organizationId: string, id: string): Promise<Consent | null>;
  /** Refuses where the organization has no room for another. */
  checkRoom(organizationId: string): Promise<void>;
  create(consent: NewConsent): Promise<Consent>;
  /** Null where there is none. */
  rename(organizationId: string, id: string, name: string): Promise<Consent | null>;
  /** False where there is none. Voices that were made with it stay. */
  remove(organizationId: string, id: string): Promise<boolean>;
  /** Null where it was deleted meanwhile. Refuses one that the server's secret does not open. */
  recording(consent: Consent): Promise<Buffer | null>;
};

/** The consent that a request makes, so that the same request sent again finds it. */
export const consentIdOf = (requestId: string): string => requestId.replace(/^req_/, "cons_");

const isConsentId = (name: string): boolean => /^cons_[0-9a-z]{24}$/.test(name);

type ConsentsOptions = { clock: Clock; secrets: EncryptionSecrets; max: number };

/** `max`: how many an organization may have. */
export function openConsents(database: Database, { clock, secrets, max }: ConsentsOptions): Consents {
  const rows = openConsentRows(database);
  const encryption = openEncryption("loquat voices", secrets);
  const checkRoom = async (organizationId: string) => {
    if ((await rows.count(organizationId)) >= max) throw full(max);
  };
  return {
    list: (organizationId, { after, limit }) => rows.list(organizationId, after, limit),
    find: async (organizationId, id) => (isConsentId(id) ? rows.find(organizationId, id) : null),
    checkRoom,
    async create({ recording, id = newId("cons", clock), ...fields }) {
      await checkRoom(fields.organizationId);
      const row = { id, ...fields, createdAt: unixSeconds(clock) };
      await rows.insert({ ...row, sealed: await encryption.encrypt(placeOf(id), recording) });
      if ((await rows.count(row.organizationId)) <= max) return row;
      await rows.delete(row.organizationId, id); // others were made at the same time
      throw full(max);
    },
    rename: async (organizationId, id, name) =>
      isConsentId(id) ? rows.rename(organizationId, id, name) : null,
    remove: async (organizationId, id) => isConsentId(id) && rows.delete(organizationId, id),
    async recording({ id }) {
      const sealed = await rows.recording(id);
      return sealed && ((await encryption.decrypt(placeOf(id), sealed)) ?? unreadable(id));
    },
  };
}

const placeOf = (id: string): string => `${id}/recording`;

const full = (max: number) =>
  new Refusal(
    "too_many_consents",
    `Your organization has ${max} consents, which is as many as it may have. Delete one first.`,
  );

/** The consent that a new voice names, as it is kept. Refuses one that is unknown. */
export async function consentNamed(consents: Consents, organizationId: string, id: string) {
  const consent = await consents.find(organizationId, id);
  const wav = consent && (await consents.recording(consent));
  return { kind: "stored" as const, id, wav: wav ?? unknownConsent(id) };
}

export function unknownConsent(id: string): never {
  throw new Refusal("invalid_consent", `There is no consent ${id.slice(0, 256)} of your own.`, {
    param: "consent",
  });
}
