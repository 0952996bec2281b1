/** Promise: the voices that eSpeak NG reads for read numbers in their own language, with every sign around them. */
import { afterAll, describe, expect, test } from "bun:test";
import { readConfig } from "../../../src/config/config.ts";
import { espeakVoice } from "../../../src/engine/protocol/g2p.ts";
import { readManifests } from "../../../src/models/manifest.ts";
import { readPackages } from "../../../src/models/packages/package.ts";
import { espeakText } from "../../../workers/g2p/espeak-text.ts";
import { hasEspeak, openReader, unlessEspeak } from "./reader.ts";

const reader = openReader([]);
afterAll(() => reader.close());

test.each([
  ["fr", "-5 et 1 000 000", "moins 5 et 1000000"],
  ["es", "$5 y 5 €", "5 $ y 5 €"],
  ["es", "$1.000,50", "1.000,50 $"],
  ["ru", "20 °C, 5 €, 100 ₽", "20 градусов Цельсия, 5 евро, 100 рублей"],
  ["ru", "5 км/ч и 10 кг", "5 километров в час и 10 килограммов"],
  ["pt-br", "20°C e 5km", "20 graus Celsius e 5 quilômetros"],
  ["hi", "₹50, -5", "50 रुपये, माइनस 5"],
  ["de", "am 3. Mai um 15:30", "am 3. mai um 15:30"],
  ["de", "1999. Januar", "1999. Januar"],
  ["uk", "о 15:30", "о 15 30"],
  ["no", "5 €", "5 euro"],
  ["ne", "25", "२५"],
  ["ar", "50%", "50 بالمئة"],
  ["it", "100 km²", "100 km²"],
  ["fr", "A-5, 3-5, 1,5-2", "A-5, 3-5, 1,5-2"],
  ["fr", "rien du tout - ici", "rien du tout - ici"],
])("in %s, %s reaches eSpeak NG as %s", (language, written, read) =>
  expect(espeakText(written, language)).toBe(read),
);

/** Of the catalogue's voices and those that packages bring; English and Chinese numbers are written out before. */
const folder = readConfig({}).models.folder;
const engines = new Map([...readPackages(folder)].map(([name, { family }]) => [name, family]));
const readByEspeak = (engine: string) => !["supertonic", "flite"].includes(engines.get(engine) ?? engine);
const spoken = [
  ...readManifests(folder)
    .flatMap((manifest) => (manifest.type === "tts" ? manifest.voices : []))
    .filter(({ engine }) => readByEspeak(engine)),
  ...[...readPackages(folder).values()].flatMap(({ name, voices = [] }) =>
    readByEspeak(name) ? voices : [],
  ),
];
const languages = [...new Set(spoken.map(({ language }) => language))].filter(
  (language) => language !== "en" && language !== "zh",
);

describe.skipIf(!hasEspeak)(`eSpeak NG${unlessEspeak}`, () => {
  test.each(languages)(
    "reads the numbers of %s in that language, and grouped digits as one number",
    async (language) => {
      const say = (text: string) => reader.say(text, espeakVoice(language), "ipa");
      const english = await reader.say("25", "en-us", "ipa");
      const number = await say("25");
      expect(number).not.toBe("");
      expect(number).not.toBe(english);
      expect(await say("1 000 000")).toBe(await say("1000000"));
      expect((await say("-5")).length).toBeGreaterThan((await say("5")).length);
      expect((await say("50%")).length).toBeGreaterThan((await say("50")).length);
      expect((await say("5 €")).length).toBeGreaterThan((await say("5")).length);
      expect((await say("20 °C")).length).toBeGreaterThan((await say("20")).length + 3);
      expect(await say("$5")).toBe(await say("5 $"));
    },
  );
});
