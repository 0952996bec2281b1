/** Promise: a session that asks for text that may still change is told it in events of its own; any other sees nothing of it. */
import { beforeAll, expect, test } from "bun:test";
import { dialStream, type Message, quiet, scriptedHarness, speech } from "../../dialects/streamed.ts";

const INTERIM = "loquat.input_audio_transcription.interim";
const DELTA = "conversation.item.input_audio_transcription.delta";
const COMPLETED = "conversation.item.input_audio_transcription.completed";

const scripted = scriptedHarness();
let spoken: Uint8Array;
beforeAll(async () => {
  spoken = await speech(scripted.harness);
});

async function told(session: object, ...updates: object[]) {
  scripted.script({ interim: "we were", words: "We are", rest: "here." });
  const stream = await dialStream(scripted.harness, {
    path: "/v1/realtime?intent=transcription",
    headers: { authorization: `Bearer ${scripted.harness.key}` },
  });
  for (const each of [session, ...updates])
    stream.send({ type: "session.update", session: { type: "transcription", ...each } });
  const audio = Buffer.concat([spoken, quiet(1)]).toString("base64");
  stream.send({ type: "input_audio_buffer.append", audio });
  await stream.until(({ type }) => type === COMPLETED);
  stream.close();
  return stream.messages;
}

const kinds = (messages: Message[]): string[] => messages.map(({ type }) => type);

test("is told what was heard behind the deltas, and what of it has become final", async () => {
  const messages = await told({ loquat: { interim: true } });
  const updated = messages.find(({ type }) => type === "session.updated")!;
  expect(updated.session.loquat).toEqual({ interim: true });
  const heard = messages.filter(({ type }) => type === INTERIM || type === DELTA);
  expect(heard.map(({ type, text, delta }) => [type, text ?? delta])).toEqual([
    [INTERIM, "we were"],
    [DELTA, "We are"],
    [DELTA, " here."],
  ]);
  const item = messages.find(({ type }) => type === COMPLETED)!.item_id;
  expect(heard[0]).toEqual({
    ...{ type: INTERIM, event_id: expect.any(String), item_id: item, content_index: 0, text: "we were" },
  });
});

test.each<[string, object[]]>([
  ["does not ask", [{}]],
  ["asks no longer", [{ loquat: { interim: true } }, { loquat: { interim: false } }]],
])("a session that %s is told standard events only", async (_name, sessions) => {
  const [first = {}, ...updates] = sessions;
  const messages = await told(first, ...updates);
  expect(kinds(messages).filter((type) => /loquat|interim/.test(type))).toEqual([]);
  const last = messages.findLast(({ type }) => type === "session.updated")!;
  expect(last.session).not.toHaveProperty("loquat");
});

test("a wish that is none is refused by name", async () => {
  const stream = await dialStream(scripted.harness, {
    path: "/v1/realtime?intent=transcription",
    headers: { authorization: `Bearer ${scripted.harness.key}` },
  });
  stream.send({ type: "session.update", session: { type: "transcription", loquat: { interim: "yes" } } });
  const { error } = await stream.until(({ type }) => type === "error");
  expect(error).toMatchObject({
    code: "validation_error",
    message: expect.stringContaining("loquat.interim"),
  });
  await stream.closed;
});
