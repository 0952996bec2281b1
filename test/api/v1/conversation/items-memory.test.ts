/** Promise: items of conversations are part of what an organization may hold; beyond it one is refused, and the session goes on. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { until } from "../../../until.ts";
import { testEveryEvent } from "./every-event.ts";
import { expectOrder, openTalk, said, talkTo, turn } from "./talk.ts";

setDefaultTimeout(120_000);

const MIB = 1024 * 1024;
const LONG = said("word ".repeat(100_000)); // a megabyte of memory

test("an item without memory is refused with its code, answers go on, and the end of the session gives all back", async () => {
  await using talk = await openTalk();
  const { budget } = talk.parts;
  const client = await talkTo(talk);
  client.update({ type: "realtime", output_modalities: ["text"] });
  client.send("conversation.item.create", LONG);
  await client.until("item.done");
  expect(budget.heldBytes()).toBeWithin(0.9 * MIB, 1.1 * MIB);
  const others = budget.open(talk.organizationId);
  others.take(255 * MIB - budget.heldBytes() - 0.5 * MIB); // of 256
  client.send("conversation.item.create", LONG);
  const { error } = await client.until("error");
  expect(error).toMatchObject({
    type: "rate_limit_error",
    code: "concurrency_limit_exceeded",
    param: "item",
  });
  expect((await turn(client, "hello")).status).toBe("completed");
  others.release();
  client.send("conversation.item.create", LONG);
  await client.until("item.done", 4);
  expectOrder(client.events);
  client.close();
  await until(() => budget.heldBytes() === 0);
});

testEveryEvent();
