/** Promise: formatting is silent and words are spoken, in every language. */
import { describe, expect, test } from "bun:test";
import { normalizeText } from "../../../src/speech/text/normalize.ts";

const MARKDOWN: [written: string, read: string][] = [
  ["Some **bold**, *italic*, __strong__ and ~~struck~~ text.", "Some bold, italic, strong and struck text."],
  ["***both*** and _this_", "both and this"],
  ["Use `npm start` now.", "Use npm start now."],
  ["snake_case_name", "snake case name"],
  ["# Title\nText", "Title\n\nText"],
  ["Title\n=====\nText", "Title\n\nText"],
  ["## Steps ##", "Steps"],
  ["- one\n* two\n+ three\n• four", "one\ntwo\nthree\nfour"],
  ["- [ ] open\n- [x] done", "open\ndone"],
  ["  - nested item", "nested item"],
  ["1. First\n2. Second", "one, First\ntwo, Second"],
  ["1) First\n2) Second", "one, First\ntwo, Second"],
  ["> quoted\n>> twice", "quoted\ntwice"],
  ["A [link](https://example.com/a_(b)) here", "A link here"],
  ['A [link](https://example.com "title") here', "A link here"],
  ["A [link][1] here\n\n[1]: https://example.com", "A link here"],
  ["![a cat](cat.png)", "a cat"],
  ["[![badge](b.svg)](https://example.com)", "badge"],
  ["<https://example.com>", "example dot com"],
  ["A note[^1].", "A note."],
  ["It is so [1], they say.[2]", "It is so, they say."],
  ["It is so【4†source】.", "It is so."],
  ["| Name | Age |\n|------|----:|\n| Ann  | 5 |", "Name, Age\nAnn, five"],
  ["above\n\n---\n\nbelow", "above\n\nbelow"],
  ["```js\nlet x = 5;\n```\nafter", "let x equals five;\nafter"],
  ["\\*not bold\\*", "not bold"],
  ["2 * 3 * 4", "two times three times four"],
  ["a * b", "a times b"],
];

const HTML: [written: string, read: string][] = [
  ["<b>bold</b> and <a href='x'>link</a>", "bold and link"],
  ["one<br>two<br/>three", "one\ntwo\nthree"],
  ["<p>one</p><p>two</p>", "one\n\ntwo"],
  ["a<!-- hidden -->b", "a b"],
  ["<script>let a = 1;</script>said", "said"],
  ["Tom &amp; Ann&#8217;s &hellip;", "Tom and Ann's..."],
  ["&copy; &frac12; &deg;", "copyright one half degrees"],
  ["List<String>", "List String"],
  ["5 < 6 and 7 > 3", "five is less than six and seven is greater than three"],
  ["<speak>Hi <break time='1s'/> there</speak>", "Hi there"],
  ["Ha <laugh> ha", "Ha <laugh> ha"],
  ["Ha <cough> ha", "Ha ha"],
];

describe("in English", () => {
  test.each([...MARKDOWN, ...HTML])("%j is read aloud as %j", (written, read) => {
    expect(normalizeText(written, "en-US")).toBe(read);
  });
});

const LANGUAGES: [language: string, written: string, read: string][] = [
  ["de", "3,14 Euro am 3. Mai 1999", "3,14 Euro am 3. Mai 1999"],
  ["de", "3. Oktober", "3. Oktober"],
  ["de", "1. Erstens\n2. Zweitens", "1, Erstens\n2, Zweitens"],
  [
    "de",
    "**Wichtig:** siehe https://www.beispiel.de/a-b?c=d.",
    "Wichtig: siehe beispiel Punkt de Schrägstrich a Bindestrich b.",
  ],
  ["fr", "« Bonjour » — oui 👋", '" Bonjour ", oui'],
  ["es", "Escribe a ana@ejemplo.es", "Escribe a ana arroba ejemplo punto es"],
  ["it", "[qui](https://esempio.it)", "qui"],
  ["ru", "сайт example.com/docs", "сайт example точка com слэш docs"],
  ["ja", "詳細は https://example.jp/a です。", "詳細は example ドット jp スラッシュ a です。"],
  ["zh", "# 标题\n- 第一\n- 第二", "标题\n\n第一\n第二"],
  ["fi", "katso example.com", "katso example.com"],
  ["pl", "#hasztag 5 < 6", "hasztag 5 6"],
];

test.each(LANGUAGES)("in %s, %j is read as %j", (language, written, read) => {
  expect(normalizeText(written, language)).toBe(read);
});

test.each([
  ["one\\ntwo", "one\ntwo"],
  ["One.\\n\\nTwo\\r\\nthree", "One.\n\nTwo\nthree"],
  ["<answer>Yes</answer>Done", "Yes\nDone"],
  ["<think>a plan\nof lines", ""],
  ["of lines</think>Done.", "Done."],
  ["<reasoning>a plan\n\nof lines</reasoning>\nDone.", "Done."],
])("%j is read as %j in every language", (written, read) => {
  for (const language of ["en", "de", "zh"]) expect(normalizeText(written, language)).toBe(read);
});

test("formulas of other languages than English are signs", () => {
  expect(normalizeText("$\\int_0^1 x^2 dx$ und $\\frac{a}{b} \\leq \\alpha$", "de")).toBe(
    "∫ 0 1 x² dx und a/b ≤ α",
  );
});
