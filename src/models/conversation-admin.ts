/** Editing conversations: a definition is checked and stored; what is in force is kept in memory, and follows the store. */
import { type Detail, invalidInput } from "../errors.ts";
import {
  type Conversation,
  conversationFrom,
  type ListedConversation,
  type Parts,
  partFaults,
  withModelId,
} from "./conversation.ts";

/** `definition`: as it was stored, unchecked. */
type StoredConversation = { definition: object; isDefault: boolean };

export type ConversationStore = {
  /** By name. */
  list(): Promise<StoredConversation[]>;
  /** The same text as long as nothing has changed: definitions may be long, and are followed. */
  revisions(): Promise<string>;
  /** Keeps whether it is the default; a new one is not. */
  put(conversation: Conversation): Promise<void>;
  delete(name: string): Promise<void>;
  /** Of no other any more. */
  setDefault(name: string): Promise<void>;
};

export type ConversationAdmin = {
  /** Those that can be used, by name. */
  current(): readonly ListedConversation[];
  /** Reads the changes of other processes. Returns the faults of definitions that cannot be used, once for each change. */
  refresh(): Promise<string[]>;
  /** Creates or replaces a conversation; the first is the default. Refuses a definition by its fields. */
  put(definition: object): Promise<ListedConversation>;
  /** False: there is no such conversation. */
  setDefault(name: string): Promise<boolean>;
  /** The first that is left becomes the default, where it was. False: there is no such conversation. */
  remove(name: string): Promise<boolean>;
};

const OWN_MAX = 1000;

export function openConversationAdmin(store: ConversationStore, parts: Parts): ConversationAdmin {
  let revisions = "[]";
  let stored: StoredConversation[] = [];
  let all: ListedConversation[] = [];
  const refresh = async () => {
    const found = await store.revisions();
    if (found === revisions) return [];
    stored = await store.list();
    revisions = found;
    const read = stored.map(usable);
    all = read.filter((each) => typeof each !== "string");
    return read.filter((each) => typeof each === "string");
  };
  const find = (name: string) => all.find((each) => each.name === name) ?? null;
  const ensureDefault = async () => {
    await refresh();
    const [first] = all;
    if (!first || stored.some(({ isDefault }) => isDefault)) return;
    await store.setDefault(first.name);
    await refresh();
  };
  return {
    current: () => all,
    refresh,
    async put(definition) {
      const conversation = withModelId(conversationFrom(definition), parts);
      const faults = partFaults(conversation, parts);
      if (all.length >= OWN_MAX && find(conversation.name) === null) faults.push(oneTooMany);
      if (faults.length > 0) throw invalidInput(faults);
      await store.put(conversation);
      await ensureDefault();
      return find(conversation.name)!;
    },
    async setDefault(name) {
      await refresh();
      if (find(name) === null) return false;
      await store.setDefault(name);
      await refresh();
      return true;
    },
    async remove(name) {
      await refresh();
      if (!stored.some((each) => nameIn(each) === name)) return false;
      await store.delete(name);
      await ensureDefault();
      return true;
    },
  };
}

const oneTooMany: Detail = {
  field: "name",
  code: "malformed",
  message: `is one too many: there may be ${OWN_MAX} conversations`,
};

const nameIn = ({ definition }: StoredConversation) => (definition as { name?: unknown }).name;

/** The fault of one that cannot be used, because another version wrote it. */
function usable(each: StoredConversation): ListedConversation | string {
  try {
    return { ...conversationFrom(each.definition), isDefault: each.isDefault };
  } catch (error) {
    return `${nameIn(each)}: ${(error as Error).message}`;
  }
}
