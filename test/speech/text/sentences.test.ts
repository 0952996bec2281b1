/** Promise: a sentence ends where a reader would pause, not at the stop of an abbreviation or a number. */
import { expect, test } from "bun:test";
import { normalizeText } from "../../../src/speech/text/normalize.ts";
import { splitSentences } from "../../../src/speech/text/sentences.ts";

const ENGLISH: [text: string, sentences: string[]][] = [
  ["Version v1.2.3 is out. Get it.", ["Version version one point two point three is out.", "Get it."]],
  ["Meet at 5 p.m. That works.", ["Meet at five PM.", "That works."]],
  ["Meet at 5 p.m. on Monday.", ["Meet at five PM on Monday."]],
  ["Meet at 5 p.m. Eastern. Bye.", ["Meet at five PM Eastern.", "Bye."]],
  ["See vol. 2, ch. 3 and p. 7.", ["See volume two, chapter three and page seven."]],
  ["Dr. Smith left. Mrs. Jones stayed.", ["Doctor Smith left.", "Missus Jones stayed."]],
  ["He is in the U.S. Army now.", ["He is in the US Army now."]],
  ["He moved to the U.S. They stayed.", ["He moved to the US.", "They stayed."]],
  ["Some, e.g. this, are small, i.e. short.", ["Some, for example this, are small, that is short."]],
  ["Apples, pears, etc. They are fruit.", ["Apples, pears, et cetera.", "They are fruit."]],
  ["Wait... what? Really?! Yes.", ["Wait... what?", "Really?!", "Yes."]],
  ["Wait... Then he left.", ["Wait...", "Then he left."]],
  ["J. K. Rowling wrote it. She did.", ["J K Rowling wrote it.", "She did."]],
  ["We need plan B. The first failed.", ["We need plan B.", "The first failed."]],
  ["So did I. It was late.", ["So did I.", "It was late."]],
  ["It costs $3.50. Pay now.", ["It costs three dollars and fifty cents.", "Pay now."]],
  [
    "See example.com. Then write to joe@example.com.",
    ["See example dot com.", "Then write to joe at example dot com."],
  ],
  ["No. I will not.", ["No. I will not."]],
];

test.each(ENGLISH)("%s has its sentences", (text, sentences) => {
  const split = splitSentences(normalizeText(text, "en-US"), "en").map((sentence) => sentence.trim());
  expect(split).toEqual(sentences);
});

test.each([
  ["de", "Er kam am 10. Februar, heute. Dann ging er.", 2],
  ["nb", "Han kommer 10. februar, ok.", 1],
  ["cs", "Dne 10. února, ano.", 1],
  ["hr", "To je 10. veljače 2024. bilo.", 1],
  ["de", "Es sind 10. Die anderen gingen.", 2],
])("in %s, an ordinal of a date ends no sentence: %s", (language, text, count) => {
  expect(splitSentences(text, language)).toHaveLength(count);
});
