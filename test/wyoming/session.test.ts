/** Promise: a session does for each event what the protocol says, refuses what has no place, and keeps no more than it must. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { Refusal } from "../../src/errors.ts";
import { SentenceStream } from "../../src/wyoming/synthesis-request.ts";
import { type Step, WyomingSession } from "../../src/wyoming/wyoming-session.ts";

const PCM = { rate: 16_000, width: 2, channels: 1 };
type Sent = [type: string, data?: Record<string, unknown>, payload?: Uint8Array];

function stepsFor(...sent: Sent[]): Step[] {
  const session = new WyomingSession();
  return sent.flatMap(([type, data = {}, payload = null]) => session.receive({ type, data, payload }));
}
const doneFor = (...sent: Sent[]) => stepsFor(...sent).map((step) => step.do);
const any = { model: null, language: null };

describe("a session", () => {
  test("answers describe and ping", () => {
    expect(stepsFor(["describe"])).toEqual([{ do: "describe" }]);
    expect(stepsFor(["ping", { text: "hi" }])).toMatchObject([
      { event: { type: "pong", data: { text: "hi" } } },
    ]);
    expect(stepsFor(["ping"])).toMatchObject([{ event: { type: "pong", data: { text: null } } }]);
    const nested = JSON.parse(`${"[".repeat(60_000)}${"]".repeat(60_000)}`); // too deep for JSON.stringify
    expect(stepsFor(["ping", { text: nested }])).toMatchObject([{ event: { data: { text: null } } }]);
  });

  test("records what is between audio-start and audio-stop, for the model and language that were named", () => {
    const bytes = new Uint8Array(4);
    expect(
      stepsFor(
        ["transcribe", { name: "svc-stt1", language: "de" }],
        ["audio-start", { ...PCM, timestamp: null }],
        ["audio-chunk", PCM, bytes],
        ["audio-stop", { timestamp: null }],
      ),
    ).toEqual([
      { do: "openRecording", selection: { model: "svc-stt1", language: "de" }, format: PCM },
      { do: "record", format: PCM, bytes },
      { do: "transcribe" },
    ]);
  });

  test("needs neither transcribe nor audio-start", () => {
    const [opened, ...rest] = stepsFor(["audio-chunk", PCM, new Uint8Array(2)], ["audio-stop"]);
    expect(opened).toEqual({ do: "openRecording", selection: any, format: PCM });
    expect(rest.map((step) => step.do)).toEqual(["record", "transcribe"]);
  });

  test("answers audio-stop without audio with an empty transcript", () => {
    const empty = { do: "send", event: { type: "transcript", data: { text: "" }, payload: null } };
    expect(stepsFor(["transcribe"], ["audio-stop"])).toMatchObject([empty]);
    expect(stepsFor(["audio-stop"])).toMatchObject([empty]);
  });

  test("speaks a text with the voice that was named, or any", () => {
    expect(stepsFor(["synthesize", { text: "Hi.", voice: { name: "ada", speaker: "x" } }])).toEqual([
      { do: "speak", selection: { voice: "ada", language: null }, text: "Hi." },
    ]);
    expect(stepsFor(["synthesize", { text: "Hi.", voice: {}, text_format: "text" }])).toMatchObject([
      { selection: { voice: null, language: null } },
    ]);
  });

  test("ignores the whole text that a stream repeats, and ends each stream once", () => {
    expect(
      doneFor(
        ["synthesize-start", {}],
        ["synthesize-chunk", { text: "Hi" }],
        ["synthesize", { text: "Hi." }],
        ["synthesize-stop"],
        ["synthesize", { text: "Again." }],
      ),
    ).toEqual(["openStream", "addText", "endStream", "speak"]);
  });

  test("acknowledges a stream that never began", () => {
    expect(stepsFor(["synthesize-stop"])).toMatchObject([{ event: { type: "synthesize-stopped" } }]);
  });

  test("ignores events of other services", () => {
    expect(stepsFor(["detect", { names: [] }], ["run-pipeline"], ["voice-started"], ["x"])).toEqual([]);
  });

  const refused: [string, Sent[]][] = [
    [
      "a second audio-start",
      [
        ["audio-start", PCM],
        ["audio-start", PCM],
      ],
    ],
    [
      "a text within a recording",
      [
        ["audio-start", PCM],
        ["synthesize", { text: "Hi." }],
      ],
    ],
    ["audio within a stream of text", [["synthesize-start"], ["audio-chunk", PCM, new Uint8Array(2)]]],
    ["a chunk of text outside a stream", [["synthesize-chunk", { text: "Hi" }]]],
    ["a text that is none", [["synthesize", { text: 5 }]]],
    ["another form of text", [["synthesize", { text: "Hi.", text_format: "html" }]]],
    ["a voice that is no object", [["synthesize", { text: "Hi.", voice: "ada" }]]],
    ["a name that is too long", [["transcribe", { name: "x".repeat(257) }]]],
    ["a rate of 0", [["audio-start", { ...PCM, rate: 0 }]]],
    ["a width of 5 bytes", [["audio-start", { ...PCM, width: 5 }]]],
    ["audio without a format", [["audio-chunk", {}, new Uint8Array(2)]]],
  ];
  test.each(refused)("refuses %s", (_name, sent) => {
    expect(() => stepsFor(...sent)).toThrow(Refusal);
  });
});

const collect = (pieces: string[], language = "en") => {
  const stream = new SentenceStream(language);
  return [...pieces.flatMap((piece) => stream.push(piece)), ...stream.finish()].map((each) => each.trim());
};

describe("the sentences of a text that is being written", () => {
  const text = "Dr. Smith paid $3.50. It was late! Was it? Yes";
  const sentences = ["Dr. Smith paid $3.50.", "It was late!", "Was it?", "Yes"];

  test("are the same however it is divided", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), (sizes) => {
        const pieces: string[] = [];
        for (let offset = 0, turn = 0; offset < text.length; turn++) {
          pieces.push(text.slice(offset, offset + sizes[turn % sizes.length]!));
          offset += sizes[turn % sizes.length]!;
        }
        expect(collect(pieces)).toEqual(sentences);
      }),
      { seed: 16, numRuns: 100 },
    );
  });

  test("come as soon as the next begins", () => {
    const stream = new SentenceStream("en");
    expect(stream.push("It is 3.")).toEqual([]);
    expect(stream.push("50 now.")).toEqual([]);
    expect(stream.push(" And").map((each) => each.trim())).toEqual(["It is 3.50 now."]);
  });

  test("SSML is whole at its end, however it is divided", () => {
    const ssml = '<speak>One. <break time="1s"/>\nTwo. Three.</speak>';
    for (const size of [1, 3, 7, ssml.length])
      expect(collect(ssml.match(new RegExp(`[^]{1,${size}}`, "g"))!)).toEqual([ssml]);
  });

  test("sentences end with their line", () => {
    expect(collect(["A list\n", "- one\n- two"])).toEqual(["A list", "- one", "- two"]);
  });

  test("leave out what cannot be spoken", () => {
    expect(collect(["Fine. 😀 \n", "…\n", "***"]).join("|")).toBe("Fine.");
  });

  test("are divided where none ends, and lose nothing", () => {
    const long = "word ".repeat(3000);
    const parts = collect([long]);
    expect(Math.max(...parts.map((part) => part.length))).toBeLessThanOrEqual(1000);
    expect(parts.join(" ").replace(/ +/g, " ")).toBe(long.trim());
    expect(collect(["x".repeat(2500)]).join("")).toBe("x".repeat(2500));
  });
});
