/** Promise: the names that ElevenLabs and Deepgram give to models and voices speak and transcribe here, and fill no list. */
import { describe, expect, test } from "bun:test";
import { type Alias, mergeAliases } from "../../src/models/aliases.ts";
import { buildCatalogue, withNames } from "../../src/models/catalogue.ts";
import { chooseRecognition, chooseSpeech } from "../../src/models/choose.ts";
import {
  alias,
  builtIn,
  catalogue,
  manifests,
  named,
  namesIn,
  packages,
  shipped,
  speech,
} from "./shipped-names.ts";

const vendors = shipped.filter(({ listed }) => listed === false);
const namesOf = (kind: Alias["kind"]) => namesIn(vendors, kind);

describe("the names of ElevenLabs and Deepgram", () => {
  const speaking = namesOf("model").filter((name) => /^(eleven_|aura|flux-(?!general))/.test(name));
  const recognizing = namesOf("model").filter((name) => !speaking.includes(name));
  const everywhere = buildCatalogue(manifests, () => true, [...packages.values()]);
  const withEvery = withNames(everywhere, shipped);

  test("stand for models that speak or transcribe, and are not listed", () => {
    for (const model of speaking)
      expect(chooseSpeech(named, speech({ model }))).toMatchObject({ model: "svc-tts1", format: "mp3" });
    for (const model of recognizing) {
      const request = { model, language: "en", streaming: false };
      expect(chooseRecognition(named, request).model).toBe("svc-stt1");
    }
    const lists = named.names.models.map(({ name }) => name);
    expect(lists).toContain("tts-1");
    expect(lists.filter((name) => [...speaking, ...recognizing].includes(name))).toEqual([]);
  });

  test("stand for voices of a sort, and of the language that the name says", () => {
    const called = everywhere.voices.map(({ name }) => name.toLowerCase());
    for (const name of namesOf("voice").filter((each) => !called.includes(each))) {
      const { voice } = chooseSpeech(withEvery, speech({ voice: name }));
      expect(voice.language).toBe(/-([a-z]{2})$/.exec(name)?.[1] ?? "en");
    }
    const genders = [
      "21m00Tcm4TlvDq8ikWAM",
      "hpp4J3VqNfWAUOO0d1Us",
      "pNInz6obpgDQGcFmaJgB",
      "aura-2-thalia-en",
    ];
    expect(genders.map((voice) => chooseSpeech(named, speech({ voice })).voice.gender)).toEqual([
      "female",
      "female",
      "male",
      "female",
    ]);
  });

  test("come after the voices of the catalogue that are called so", () => {
    const rachel = { ...manifests.find(({ type }) => type === "tts")!, model: "other", rank: 9 };
    const [voice] = rachel.type === "tts" ? rachel.voices : [];
    const other = { ...rachel, voices: [{ ...voice!, id: "house-rachel", name: "Rachel" }, voice!] };
    const both = withNames(buildCatalogue([...manifests, other as never], builtIn), shipped);
    const asked = { voice: "Rachel" };
    expect(chooseSpeech(both, speech({ ...asked, model: "other" })).voice.id).toBe("house-rachel");
    expect(chooseSpeech(both, speech({ ...asked, model: "svc-tts1" })).voice.id).toBe("female-warm");
  });

  test("are listed once the operator sets them", () => {
    const own = mergeAliases(shipped, [alias({ name: "eleven_v3", targets: ["svc-tts2"] })]);
    expect(withNames(catalogue, own).names.models.map(({ name }) => name)).toContain("eleven_v3");
  });
});
