/** Promise: an engine that speaks with its own voices only is never given an encoded one, and says so. */
import { expect, test } from "bun:test";
import type { SynthesisTask } from "../../src/engine/protocol/synthesis.ts";
import type { VoiceEncodingResult, VoiceEncodingTask } from "../../src/engine/protocol/voice-encoding.ts";
import { decodeData, encodeData } from "../../src/engine/remote/wire-data.ts";
import { fitted } from "../../src/speech/fit-task.ts";
import { seeing } from "./seeing.ts";

const encoding: VoiceEncodingTask = { kind: "voice-encoding", samples: Float32Array.of(0, 0.5, -0.5) };
const encoded: VoiceEncodingResult = { data: Float32Array.of(1, 2, 3, 4), shape: [2, 2] };
const styled: SynthesisTask = {
  kind: "synthesis",
  text: "Hello.",
  speaker: "",
  style: { id: "voice-1", ...encoded },
  language: "en",
  speed: 1,
  instructions: "",
};

test("voices are neither encoded nor used, and texts are spoken", async () => {
  const { runner, seen } = seeing();
  const without = fitted(runner, {
    ...{ name: "Supertonic 3: fast speech", does: ["expression_tags"], phonemes: null },
  });
  for (const task of [encoding, styled])
    await expect(without.run(task)).rejects.toMatchObject({
      code: "voice_cloning_not_supported",
      param: "voice",
      message: expect.stringContaining("Supertonic 3 speaks with its own voices only."),
    });
  const { style: _style, ...plain } = styled;
  await without.run(plain);
  expect(seen).toEqual([plain]);
});

test.each([[encoding], [encoded], [styled]])("a node sends %j to another with its samples", (task) => {
  const { data, parts } = encodeData(task);
  const sent = JSON.parse(JSON.stringify(data));
  expect(decodeData(sent, new Uint8Array(Buffer.concat(parts)))).toEqual({ value: task });
});
