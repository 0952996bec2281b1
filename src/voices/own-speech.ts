/** The voices of its own that an organization may name now: in requests for speech, and in lists. */
import { Refusal, unavailableOnError } from "../errors.ts";
import type { BoundVoice, Catalogue } from "../models/catalogue.ts";
import { ownVoiceListed } from "../models/own-voice.ts";
import { isVoiceId, type OwnVoice, type Voices } from "./voices.ts";

/** `cloning`: whether the operator allows voices that are made of recordings. */
export type OwnVoices = { voices: Voices; cloning: boolean };

type Organization = { organizationId: string };

/** Null where the name is no id of one of its voices. Refuses one that the operator has switched off. */
export async function ownVoiceNamed(
  { voices, cloning }: OwnVoices,
  { organizationId }: Organization,
  name: string,
): Promise<OwnVoice | null> {
  if (!isVoiceId(name)) return null;
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
