/**
 * The recognition that a dialect's client asks for. Its clients send much of it unasked, so what only adds to the text is
 * left out where no engine can do it, and told.
 */
import { unlessRefused } from "../../errors.ts";
import { type Catalogue, isStt } from "../../models/catalogue.ts";
import { type ChosenRecognition, chooseRecognition } from "../../models/choose.ts";

/** `model` null: that of the empty name, or the first that is installed. Of the rest, null: it is not asked for. */
export type WantedRecognition = {
  model: string | null;
  language: string | null;
  languages: readonly string[];
  keywords: Wish;
  speakers: Wish;
  wordTimes: Wish;
};

/** The name by which the client asked for it. */
type Wish = string | null;

/** `unable`: by the names that the client asked by. */
export type AbleRecognition = { chosen: ChosenRecognition; unable: string[] };

type Choice = Parameters<typeof chooseRecognition>[1];

/** Throws the refusal of what cannot be left out: the model, and the language. */
export function chooseAble(catalogue: Catalogue, wanted: WantedRecognition): AbleRecognition {
  const { language, languages, keywords, speakers, wordTimes } = wanted;
  let request: Choice = { model: modelOf(catalogue, wanted), language, languages, streaming: false };
  const wishes: [Wish, Partial<Choice>][] = [
    [wordTimes, { wordTimes }],
    [speakers, { speakers: speakers === null ? null : { param: speakers, isUsed: true } }],
    [keywords, { keywords: true }],
  ];
  const unable: string[] = [];
  for (const [name, wish] of wishes) {
    if (name === null) continue;
    const next = { ...request, ...wish };
    if (unlessRefused(() => chooseRecognition(catalogue, next)) === null) unable.push(name);
    else request = next;
  }
  return { chosen: chooseRecognition(catalogue, request), unable };
}

function modelOf(catalogue: Catalogue, { model }: Pick<WantedRecognition, "model">): string {
  if (model !== null) return model;
  const unnamed = catalogue.find("");
  if (unnamed && isStt(unnamed)) return unnamed.id;
  return catalogue.entries.filter(isStt).find(({ version }) => version !== null)?.id ?? "";
}
