/** Promise: a turn detector has one question of a session at a time, and its failures leave the turn to the silence. */
import { expect, test } from "bun:test";
import { SessionRunner } from "../../src/realtime/session-runner.ts";
import { openConversation } from "./conversation.ts";

/** A session after a pause, whose turn detector answers when the test does. */
function openPaused() {
  const conversation = openConversation({ turnDetection: { type: "semantic_vad" } });
  const asked: PromiseWithResolvers<number>[] = [];
  const stream = {
    feed() {},
    push() {},
    pause() {},
    finish() {},
    drop() {},
    close() {},
    behindSeconds: () => 0,
  };
  const turnDetector = {
    warm() {},
    detect() {
      asked.push(Promise.withResolvers<number>());
      return asked.at(-1)!.promise;
    },
  };
  const runner = new SessionRunner(
    {
      session: conversation.session,
      vadStreams: { open: () => stream, [Symbol.asyncDispose]: async () => {} },
      recognizer: { open: () => stream },
      turnDetector,
      client: { organization: "org_x", request: "req_x", send() {}, failed() {}, hangUp() {} },
    },
    { engine: "whisper", language: "en", prompt: "" },
  );
  /** A silence as long as the picture, and what comes of it. */
  const hear = (picture: string) => {
    conversation.effects.length = 0;
    conversation.hear(picture);
    runner.perform(conversation.effects);
  };
  hear("##########.....");
  return { hear, asked, types: conversation.types };
}

test("it is not asked again before it has answered", async () => {
  const { hear, asked } = openPaused();
  hear(".....");
  expect(asked).toHaveLength(1);
  asked[0]!.resolve(0.1);
  await asked[0]!.promise;
  await Promise.resolve();
  hear("..........");
  expect(asked).toHaveLength(2);
});

test("where it fails the silence ends the turn, and the next one is asked about", async () => {
  const { hear, asked, types } = openPaused();
  asked[0]!.reject(new Error("no"));
  await asked[0]!.promise.catch(() => {});
  await Promise.resolve();
  hear("....................");
  expect(types()).toContain("speech_stopped 1");
  hear("##########.....");
  expect(asked.length).toBeGreaterThan(1);
});
