/** What the parts of the stand-in share. */
import type { CardName } from "./cards.ts";
import type { Params } from "./form.ts";
import type { ObjectStore } from "./object-store.ts";

export type Emit = (type: string, object: object) => void;

export type Till = {
  objectStore: ObjectStore;
  emit: Emit;
  origin: () => string;
  /** What a session was asked for, until it is paid. */
  drafts: Map<string, Params>;
  cardNames: Map<string, CardName>;
  /** `seller`: the country; a customer of another one with a tax id owes the tax himself. */
  tax: { percent: number; isInclusive: boolean; seller: string };
};
