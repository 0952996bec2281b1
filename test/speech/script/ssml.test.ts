/** Promise: a small part of SSML is read as documented, and everything else is refused at once, whatever its size. */

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { ScriptPart } from "../../../src/engine/protocol/plan.ts";
import { Refusal } from "../../../src/errors.ts";
import { readScript } from "../../../src/speech/script/read-script.ts";
import { isText } from "../../../src/speech/script/script.ts";
import { fastestMs } from "../../fastest.ts";

const partOf = (part: ScriptPart) =>
  isText(part) ? `${part.rate === 1 ? "" : `${part.rate}:`}${part.text.text.trim()}` : part.silenceMs;
const partsOf = (ssml: string) => readScript(`<speak>${ssml}</speak>`).parts.map(partOf);

test.each<[string, (string | number)[]]>([
  ["Hello.", ["Hello."]],
  ['One<break time="300ms"/>two<break time="1.5s"/>', ["One", 300, "two", 1500]],
  ["One<break/>two<break strength='strong'></break>", ["One", 400, "two", 700]],
  ['the <sub alias="World Wide Web Consortium">W3C</sub> said', ["the World Wide Web Consortium said"]],
  [
    'a <say-as interpret-as="characters">ab1</say-as>, <say-as interpret-as="digits">42</say-as>',
    ["a A B 1, 4 2"],
  ],
  [
    'one <prosody rate="fast">two <prosody rate="50%">three</prosody></prosody> four',
    ["one", "1.25:two", "0.625:three", "four"],
  ],
  ["a &amp; b &lt;c&gt; &#65;&#x42;", ["a & b <c> AB"]],
  ["<p>One.</p><p><s>Two.</s><s>Three.</s></p>", ["One.\n\n\n\n\nTwo.\n\nThree."]],
  ['say <phoneme ph="təˈmɑːtoʊ">tomato</phoneme> now', ["say \uE000 now"]],
  ["[pause 1s]", ["[pause 1s]"]],
])("%s", (ssml, parts) => {
  expect(partsOf(ssml)).toEqual(parts);
});

test("parts keep their places in the text, and marks are invisible", () => {
  const input = '<speak>Hi &amp; <sub alias="there you">x</sub> end</speak>';
  const { parts, visible } = readScript(input);
  const [part] = parts.filter(isText);
  const { text, origins } = part!.text;
  const written = (word: string) => {
    const at = text.indexOf(word);
    return input.slice(origins.from[at], origins.to[at + word.length - 1]);
  };
  expect(["Hi", "&", "there you", "end"].map(written)).toEqual(["Hi", "&amp;", "x", "end"]);
  expect(visible.length).toBe(input.length);
  expect(visible.split(/\s+/).filter(Boolean)).toEqual(["Hi", "&amp;", "x", "end"]);
});

test("a text that does not begin with <speak> is no SSML", () => {
  const text = "He wrote <speak> and <break time='1s'/> in it, and <audio src='x'/>.";
  expect(readScript(text).parts.map(partOf)).toEqual([text]);
});

test("private signs in a text stand for nothing", () => {
  for (const text of ["a\uE000b", "<speak>a\uE000b</speak>", "<speak>a&#xE000;b</speak>"])
    expect(readScript(text).parts.map(partOf)).toEqual(["a b"]);
});

const refusalOf = (input: string): Refusal => {
  try {
    readScript(input);
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error("it was accepted");
};

describe("refused", () => {
  test.each([
    ["another element", "<speak><audio src='http://x.example/a.mp3'/></speak>", "<audio>"],
    ["another attribute", "<speak><prosody pitch='high'>x</prosody></speak>", "<prosody pitch>"],
    ["an event handler", "<speak onload='x'>x</speak>", "<speak onload>"],
    [
      "a document type with entities",
      "<speak><!DOCTYPE x [<!ENTITY a 'b'>]>&a;</speak>",
      "begins no element",
    ],
    ["an entity of its own", "<speak>&lol9;</speak>", "begins no entity"],
    ["a comment", "<speak><!-- x --></speak>", "begins no element"],
    ["CDATA", "<speak><![CDATA[x]]></speak>", "begins no element"],
    ["a processing instruction", "<speak><?x y?></speak>", "begins no element"],
    ["a missing end tag", "<speak><p>x</speak>", "</speak> where <p> is open"],
    ["no end", "<speak>x", "no end tag of <speak>"],
    ["text behind the end", "<speak>x</speak> y", "outside <speak>"],
    ["another document behind the end", "<speak>x</speak><speak>y</speak>", "behind </speak>"],
    ["speak inside speak", "<speak><speak>x</speak></speak>", "<speak> inside <speak>"],
    ["an element in a leaf", "<speak><sub alias='a'><p>x</p></sub></speak>", "<p> inside <sub>"],
    ["text in a break", "<speak><break>x</break></speak>", "text inside <break>"],
    ["a break of 11 seconds", "<speak>x<break time='11s'/></speak>", "10 seconds"],
    ["a break of another unit", "<speak>x<break time='1h'/></speak>", "<break>"],
    ["a rate of 5", "<speak><prosody rate='5'>x</prosody></speak>", "25% to 400%"],
    [
      "rates that multiply",
      `<speak>${"<prosody rate='4'>".repeat(2)}x${"</prosody>".repeat(2)}</speak>`,
      "25% to 400%",
    ],
    ["a substitute without alias", "<speak><sub>x</sub></speak>", "without alias"],
    ["a bleep", "<speak><say-as interpret-as='bleep'>x</say-as></speak>", "supported are characters"],
    ["another alphabet", "<speak><phoneme alphabet='x-sampa' ph='t'>x</phoneme></speak>", "only ipa"],
    ["phonemes that are none", "<speak><phoneme ph='1; 2'>x</phoneme></speak>", "not IPA"],
    ["an attribute twice", "<speak><break time='1s' time='2s'/></speak>", "twice"],
    ["a tag that does not end", "<speak><break time='1s'", "not well-formed"],
    ["a bare ampersand", "<speak>AT&T</speak>", "write &amp;"],
    ["nine deep", `<speak>${"<p>".repeat(9)}x${"</p>".repeat(9)}</speak>`, "8 deep"],
    ["501 elements", `<speak>${"<s/>".repeat(501)}x</speak>`, "500 elements"],
    ["201 breaks", `<speak>x${"<break time='1ms'/>".repeat(201)}</speak>`, "at most 200"],
    [
      "an attribute of 301 characters",
      `<speak><sub alias='${"x".repeat(301)}'>y</sub></speak>`,
      "not well-formed",
    ],
  ])("%s", (_name, input, message) => {
    const refusal = refusalOf(input);
    expect(refusal.code).toBe("validation_error");
    expect(refusal.param).toBe("input");
    expect(refusal.message).toContain(message);
  });

  test.each([
    ["open tags", "<p>".repeat(2600)],
    ["open angles", "<".repeat(7900)],
    ["ampersands", "&".repeat(7900)],
    ["spaces in a tag", `<p${" ".repeat(7900)}`],
    ["attributes", `<sub${" alias='x'".repeat(780)}>`],
    ["quotes", `<sub alias="${"'".repeat(7900)}`],
    ["values", `${"<say-as interpret-as='unit'>".padEnd(80, "5 ft ")}</say-as>`.repeat(80)],
    ["entities that name each other", "&a;&b;&c;".repeat(800)],
  ])("a bomb of %s, within milliseconds", (_name, bomb) => {
    expect(fastestMs(() => refusalOf(`<speak>${bomb}`))).toBeLessThan(100);
  });
});

const pieces = fc.constantFrom(
  ..."<speak>|</speak>|<p>|</p>|<break/>|<break time='1s'/>|<prosody rate='fast'>|</prosody>|<sub alias='a b'>|</sub>|<say-as interpret-as='digits'>|<say-as interpret-as='ordinal'>|</say-as>|<phoneme ph='a'>|</phoneme>|&amp;|&x;|<|>|'|word| |12|é|😀|\uE001".split(
    "|",
  ),
);

test("anything is either a script or a refusal, and a script is no longer than what was sent", () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(pieces, fc.string({ maxLength: 6 })), { maxLength: 40 }), (list) => {
      const input = `<speak>${list.join("")}`;
      let script: ReturnType<typeof readScript>;
      try {
        script = readScript(input);
      } catch (error) {
        expect(error).toBeInstanceOf(Refusal);
        expect((error as Refusal).code).toBe("validation_error");
        return;
      }
      const texts = script.parts.filter(isText).map(({ text }) => text);
      expect(texts.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThanOrEqual(input.length);
      expect(script.visible.length).toBe(input.length);
      for (const { text, origins } of texts) {
        expect(origins.from.length).toBe(text.length);
        expect(Math.max(0, ...origins.to)).toBeLessThanOrEqual(input.length);
      }
    }),
    { numRuns: 2000 },
  );
});
