/**
 * Editing aliases: the operator's own are checked against the catalogue and stored; what is in force is kept in memory,
 * so that requests read it without waiting.
 */
import { FFMPEG_ADVICE } from "../engine/families/families.ts";
import { type Detail, invalidInput } from "../errors.ts";
import {
  type Alias,
  type AliasKind,
  aliasName,
  type ListedAlias,
  mergeAliases,
  NAME_LENGTH_MAX,
  TARGETS_MAX,
} from "./aliases.ts";
import { type Catalogue, isStt, isTts } from "./catalogue.ts";

/** Where the operator's own aliases are kept. */
export type AliasStore = {
  list(): Promise<Alias[]>;
  put(alias: Alias): Promise<void>;
  delete(named: Pick<Alias, "kind" | "name">): Promise<void>;
  clear(): Promise<void>;
};

export type AliasAdmin = {
  /** All aliases, also those that are switched off; another array after every change. */
  current(): readonly ListedAlias[];
  /** Reads the changes of other processes. */
  refresh(): Promise<void>;
  /** Creates or replaces an alias. Refuses targets that the catalogue does not have. */
  set(alias: Alias): Promise<ListedAlias>;
  /** Switches a shipped alias off, or deletes one of the operator's own. False if there is no such alias. */
  remove(kind: AliasKind, name: string): Promise<boolean>;
  /** Restores the shipped alias. False if there is no such alias. */
  reset(kind: AliasKind, name: string): Promise<boolean>;
  resetAll(): Promise<void>;
};

/** `aac`: whether it can be encoded here. */
type AliasDeps = { store: AliasStore; shipped: readonly Alias[]; catalogue: Catalogue; aac: boolean };

const OWN_MAX = 1000;

export async function openAliasAdmin({ store, shipped, catalogue, aac }: AliasDeps): Promise<AliasAdmin> {
  let stored: Alias[] = await store.list();
  let all = mergeAliases(shipped, stored);
  const refresh = async () => {
    const read = await store.list();
    if (JSON.stringify(read) === JSON.stringify(stored)) return;
    stored = read;
    all = mergeAliases(shipped, stored);
  };
  const find = (kind: AliasKind, name: string) =>
    all.find((alias) => alias.kind === kind && alias.name === aliasName(name)) ?? null;
  return {
    current: () => all,
    refresh,
    async set({ kind, name, targets, format }) {
      const alias = { kind, name: aliasName(name), targets, format };
      const faults = [...faultsOf(alias, catalogue), ...faultsOfFormat(alias, { catalogue, aac })];
      if (faults.length > 0) throw invalidInput(faults);
      if (stored.length >= OWN_MAX && find(kind, name)?.source !== "own")
        throw invalidInput([fault("name", `is one too many: there may be ${OWN_MAX} aliases`)]);
      await store.put(alias);
      await refresh();
      return find(kind, name)!;
    },
    async remove(kind, name) {
      const alias = find(kind, name);
      if (alias === null) return false;
      if (alias.source === "own") await store.delete(alias);
      else await store.put({ kind, name: alias.name, targets: [], format: null });
      await refresh();
      return true;
    },
    async reset(kind, name) {
      const alias = find(kind, name);
      if (alias === null) return false;
      await store.delete(alias);
      await refresh();
      return true;
    },
    async resetAll() {
      await store.clear();
      await refresh();
    },
  };
}

const fault = (field: string, message: string): Detail => ({ field, code: "malformed", message });

const CONTROL = /\p{Cc}/u;

function faultsOf({ kind, name, targets }: Alias, catalogue: Catalogue): Detail[] {
  const faults: Detail[] = [];
  if (name.length > NAME_LENGTH_MAX || CONTROL.test(name))
    faults.push(fault("name", `must have ${NAME_LENGTH_MAX} printable characters at most`));
  if (name === "" && kind !== "model") faults.push(fault("name", "is empty; only a model may have no name"));
  if (isOwnName(catalogue, kind, name)) faults.push(fault("name", "is a name of the catalogue already"));
  if (targets.length === 0 || targets.length > TARGETS_MAX)
    faults.push(fault("targets", `must name 1 to ${TARGETS_MAX} models or voices of the catalogue`));
  const unknown = targets.find((target) => !isTarget(catalogue, kind, target));
  if (unknown !== undefined)
    faults.push(fault("targets", `names ${unknown}, and there is no such ${NAMED[kind]}`));
  const types = new Set(targets.map((target) => catalogue.find(target)?.manifest.type));
  if (kind === "model" && types.size > 1)
    faults.push(fault("targets", "names models of speech and of transcription"));
  return faults;
}

function faultsOfFormat(
  { targets, format }: Alias,
  { catalogue, aac }: Pick<AliasDeps, "catalogue" | "aac">,
): Detail[] {
  if (format === null || isProduced(catalogue, targets, format)) return [];
  const isSpeech = targets.some((target) => catalogue.find(target)?.manifest.type === "tts");
  if (format !== "aac" || !isSpeech)
    return [fault("response_format", `is ${format}, which none of the models produces`)];
  return aac ? [] : [fault("response_format", `is aac, which needs FFmpeg: ${FFMPEG_ADVICE}`)];
}

const NAMED: Record<AliasKind, string> = { model: "model", session: "transcription model", voice: "voice" };

const isOwnName = ({ find, voices }: Catalogue, kind: AliasKind, name: string): boolean =>
  kind === "voice" ? voices.some(({ id }) => id === name) : find(name) !== null;

function isTarget({ find, voices }: Catalogue, kind: AliasKind, target: string): boolean {
  if (kind === "voice") return voices.some(({ id, speaker }) => id === target || speaker === target);
  const entry = find(target);
  if (entry === null || entry.manifest.status === "retired") return false;
  return kind === "model" || isStt(entry);
}

/** Whether the catalogue has what it stands for. */
export const isInForce = (
  catalogue: Catalogue,
  { kind, targets }: Pick<Alias, "kind" | "targets">,
): boolean => targets.some((target) => isTarget(catalogue, kind, target));

const isProduced = ({ find }: Catalogue, targets: string[], format: string): boolean =>
  targets.some((target) => {
    const entry = find(target);
    return (
      entry !== null && isTts(entry) && entry.manifest.speech.response_formats.some((each) => each === format)
    );
  });
