/** Promise: a marked value is read in words or as the language writes it, traced to what was written, or refused by name. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { Refusal } from "../../../src/errors.ts";
import { planScript } from "../../../src/speech/plan.ts";
import { readScript } from "../../../src/speech/script/read-script.ts";
import { withValues } from "../../../src/speech/script/say-as.ts";
import { isText } from "../../../src/speech/script/script.ts";
import { normalizeText } from "../../../src/speech/text/normalize.ts";

/** "date mdy" is a kind with its format. */
function element(as: string, text: string): string {
  const [kind, format] = as.split(" ");
  return `<say-as interpret-as="${kind}"${format ? ` format="${format}"` : ""}>${text}</say-as>`;
}

const scriptOf = (ssml: string, language: string) =>
  withValues(readScript(`<speak>${ssml}</speak>`), language);
const readIn = (language: string, as: string, text: string) =>
  scriptOf(element(as, text), language)
    .parts.filter(isText)
    .map((part) => part.text.text)
    .join("");

function refusalOf(run: () => unknown): Refusal {
  try {
    run();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error("it was accepted");
}

const ENGLISH: [as: string, text: string, read: string][] = [
  ["cardinal", "12,345", "twelve thousand three hundred forty-five"],
  ["cardinal", "1995", "one thousand nine hundred ninety-five"],
  ["cardinal", "007", "seven"],
  ["number", "-3.50", "minus three point five zero"],
  ["ordinal", "3", "third"],
  ["ordinal", " 1,021st ", "one thousand twenty-first"],
  ["fraction", "3/20", "three twentieths"],
  ["fraction", "2+1/2", "two and a half"],
  ["fraction", "1¾", "one and three quarters"],
  ["fraction", "-05/200", "minus five over two hundred"],
  ["date mdy", "12/25/2024", "December twenty-fifth, twenty twenty-four"],
  ["date dmy", "25.12.24", "December twenty-fifth, twenty twenty-four"],
  ["date ymd", "1905-3-1", "March first, nineteen oh five"],
  ["date yyyymmdd", "19600910", "September tenth, nineteen sixty"],
  ["date yyyymmdd", "????0922", "September twenty-second"],
  ["date md", "9-10", "September tenth"],
  ["date dm", "9-10", "October ninth"],
  ["date ym", "2024-03", "March twenty twenty-four"],
  ["date my", "3/2024", "March twenty twenty-four"],
  ["date y", "1066", "ten sixty-six"],
  ["date m", "12", "December"],
  ["date d", "3", "third"],
  ["date dmy", "1-Sept-2020", "September first, twenty twenty"],
  ["date", "5/6/2024", "May sixth, twenty twenty-four"],
  ["date", "January 5, 2024", "January fifth, twenty twenty-four"],
  ["date", "2024-02-29", "February twenty-ninth, twenty twenty-four"],
  ["time hms12", "2:30pm", "two thirty PM"],
  ["time hms12", "9:05:07 a.m.", "nine oh five and seven seconds AM"],
  ["time hms24", "15:00", "fifteen hundred"],
  ["time hms24", "00:30:01", "zero thirty and one second"],
  ["time", "3", "three o'clock"],
  ["time", "1'21\"", "one minute and twenty-one seconds"],
  ["currency", "$42.01", "forty-two dollars and one cent"],
  ["currency", "12.50 USD", "twelve US dollars and fifty cents"],
  ["money", "-£3", "minus three pounds"],
  ["money", "EUR 1.5m", "one point five million euros"],
  ["unit", "10km", "ten kilometers"],
  ["unit", "10 foot", "ten feet"],
  ["unit", "1/2inch", "half an inch"],
  ["unit", "5'6\"", "five foot six"],
  ["unit", "-5°C", "minus five degrees Celsius"],
  ["telephone 1", "555-12", "5 5 5 1 2"],
];

test.each(ENGLISH)("%s of %s is read", (as, text, read) => {
  expect(readIn("en-US", as, text)).toBe(read);
});

test.each<[language: string, as: string, text: string, read: string]>([
  ["en-GB", "date", "5/6/2024", "the fifth of June, twenty twenty-four"],
  ["en-GB", "date mdy", "5/6/2024", "the sixth of May, twenty twenty-four"],
  ["de", "date mdy", "12/25/2024", "25. Dezember 2024"],
  ["de_AT", "date md", "9/10", "10. September"],
  ["fr", "date", "1/2/2024", "1 février 2024"],
  ["ru", "date dmy", "1/12/2024", "1 декабря 2024"],
  ["ja", "date ymd", "20241225", "2024年12月25日"],
  ["ar", "date y", "2024", "2024"],
  ["de", "date", "5. Januar 2024", "5. Januar 2024"],
  ["de", "cardinal", "1.234,5", "1.234,5"],
  ["fr", "number", "-007", "-7"],
  ["de", "characters", "ab1", "A B 1"],
])("in %s, %s of %s is read", (language, as, text, read) => {
  expect(readIn(language, as, text)).toBe(read);
});

test("a value is a word of its sentence", () => {
  const planned = (ssml: string, language: string) =>
    planScript(scriptOf(ssml, language).parts, language).map(({ text }) => text);
  const [date, five] = [element("date dmy", "1/12/2024"), element("cardinal", "5")];
  expect(planned(`On ${date}, he had ${five}${five}kg.`, "en-GB")).toEqual([
    "On the first of December, twenty twenty-four, he had five five kg.",
  ]);
  expect(planned(`Am ${element("date md", "9/10")}, ja.`, "de")).toEqual(["Am 10. September, ja."]);
  expect(planned(`会議は${date}です。`, "ja")).toEqual(["会議は2024年12月1日です。"]);
});

test("what is read of a value stands for the text in its element", () => {
  const input = `<speak>On ${element("date mdy", "12/25/2024")} at &#x33;.</speak>`;
  const script = withValues(readScript(input), "en-US");
  const [{ text, origins }] = script.parts.filter(isText).map((part) => part.text) as [
    { text: string; origins: { from: Int32Array; to: Int32Array } },
  ];
  const written = (word: string) => {
    const at = text.indexOf(word);
    return input.slice(origins.from[at], origins.to[at + word.length - 1]);
  };
  expect(["On", "December", "twenty-four", "at", "3"].map(written)).toEqual([
    "On",
    "12/25/2024",
    "12/25/2024",
    "at",
    "&#x33;",
  ]);
  expect(script.visible.split(/\s+/).filter(Boolean)).toEqual(["On", "12/25/2024", "at", "&#x33;."]);
});

test("a caller cannot name a value by its private sign", () => {
  const marked = element("cardinal", "5");
  const text = scriptOf(`${marked} \uE100 &#xE100; <sub alias="\uE100 x">y</sub>`, "en").parts.filter(isText);
  expect(text[0]!.text.text.split(/\s+/)).toEqual(["five", "x"]);
});

describe("refused where it stands", () => {
  test.each([
    ["date mdy", "13/45/2024", '<say-as interpret-as="date" format="mdy"> of "13/45/2024"'],
    ["date mdy", "2/29/2023", "is not read as such"],
    ["date dmy", "31/4/2024", "is not read as such"],
    ["date mdy", "1/2", "is not read as such"],
    ["date", "soon", "is not read as such"],
    ["date", "", "is not read as such"],
    ["date hms12", "1/2", "supported are mdy, dmy, ymd"],
    ["date constructor", "1/2", "supported are mdy, dmy, ymd"],
    ["time hms12", "13:00", "is not read as such"],
    ["time hms24", "24:00", "is not read as such"],
    ["time hms24", "2:30pm", "is not read as such"],
    ["time hms", "2:30", "supported are hms12, hms24"],
    ["cardinal", "five", "is not read as such"],
    ["cardinal hms12", "5", "it has no format"],
    ["ordinal", "0", "is not read as such"],
    ["fraction", "1.5/2", "is not read as such"],
    ["currency", "42", "is not read as such"],
    ["unit", "3 blorbs", "is not read as such"],
    ["telephone US", "555", "the code of a country"],
    ["cardinal", "1".repeat(61), "more than 60 characters"],
    ["expletive", "darn", "supported are characters"],
    ["bleep", "darn", "supported are characters"],
    ["constructor", "1", "supported are characters"],
  ])("%s of %j", (as, text, message) => {
    const refusal = refusalOf(() => readScript(`<speak>${element(as, text)}</speak>`));
    expect([refusal.code, refusal.param]).toEqual(["validation_error", "input"]);
    expect(refusal.message).toContain(message);
  });
});

describe("refused in the language of the text", () => {
  test.each([
    ["de", element("ordinal", "3"), 'in English only; in "de" there are characters'],
    ["fr", element("currency", "$5"), "in English only"],
    ["en", element("cardinal", "1.234,5"), 'is not read as such in "en"'],
    ["en", element("cardinal", "1234567890123456"), "is not read as such"],
    ["xx", element("date dmy", "1/2/2024"), 'is not read as such in "xx"'],
    ["no tag!", element("date dmy", "1/2/2024"), "is not read as such"],
    [
      "de",
      '<say-as interpret-as="cardinal" language="en-US">5</say-as>',
      '<say-as language="en-US"> in a text that is read in "de"',
    ],
  ])("%s: %s", (language, ssml, message) => {
    expect(refusalOf(() => scriptOf(ssml, language)).message).toContain(message);
  });
});

test("a level of detail and the language of the text change nothing", () => {
  const ssml = '<say-as interpret-as="currency" language="en-US" detail="2">$42.01</say-as>';
  expect(scriptOf(ssml, "en-GB").parts.filter(isText)[0]!.text.text).toBe("forty-two dollars and one cent");
  const wrong = '<say-as interpret-as="currency" detail="3">$42.01</say-as>';
  expect(refusalOf(() => scriptOf(wrong, "en")).message).toContain("supported are 1 and 2");
});

const SHAPES: [as: string, shape: RegExp][] = [
  ["cardinal", /^[-+]?\d{1,15}(\.\d{1,3})?$/],
  ["ordinal", /^\d{1,6}(th)?$/],
  ["fraction", /^(\d{1,2}[ +])?\d{1,3}\/\d{1,3}$/],
  ["date", /^\d{1,2}[/.-]\d{1,2}([/.-]\d{2,4})?$/],
  ["date mdy", /^(0\d|Feb|May)[ -][0-3]\d, \d{1,4}$/],
  ["date yyyymmdd", /^[12]\d{3}-?[01]\d-?[0-3]\d$/],
  ["time", /^\d{1,2}([:.][0-5]\d){0,2}( ?[ap]\.?m\.?)?$/],
  ["currency", /^-?[$€£¥]\d{1,4}(\.\d\d)?( ?million|k)?$/],
  ["money", /^\d{1,4}(\.\d\d)?( ?m)? (USD|EUR|CHF)$/],
  ["unit", /^-?\d{1,3}(\.\d)? ?(km|kg|ft|inch|°C|mph|feet)$/],
];
const values = fc.oneof(
  ...SHAPES.map(([as, shape]) => fc.tuple(fc.constant(as), fc.stringMatching(shape))),
  fc.tuple(fc.constantFrom(...SHAPES.map(([as]) => as)), fc.string({ maxLength: 60 })),
);

test("anything is either words, which the rules of plain text leave alone, or a refusal", () => {
  fc.assert(
    fc.property(values, ([as, written]) => {
      const text = written.replace(/[<&]/g, "x");
      try {
        const words = readIn("en-US", as, text);
        expect(words).toMatch(/^[^\d]*\p{L}[^\d]*$/u);
        expect(normalizeText(words, "en-US")).toBe(words.replace(/ +/g, " ").trim());
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        expect(error.code).toBe("validation_error");
      }
    }),
    { numRuns: 3000 },
  );
});
