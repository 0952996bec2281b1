/** Promise: bots of Pipecat converse when only the URL and the key change, whether the server or the bot finds the ends of turns. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { fileURLToPath } from "node:url";
import { until } from "../../../until.ts";
import { testEveryEvent } from "../conversation/every-event.ts";
import { recordSockets } from "../conversation/recorded-sockets.ts";
import { openTalk, spoken, type Talk } from "../conversation/talk.ts";
import { scriptedLive } from "../realtime/live.ts";
import { openProgram, type Program } from "./program.ts";
import { pythonCommand } from "./python.ts";

setDefaultTimeout(120_000);

const { command, unless } = pythonCommand("pipecat_conversations.py");
const FOLDER = fileURLToPath(new URL(".", import.meta.url));

let talk: Talk;
let recorded: ReturnType<typeof recordSockets>;
let bot: Program;
let question: string;
beforeAll(async () => {
  if (!command) return;
  talk = await openTalk({ services: { live: scriptedLive(() => "what time is it").live } });
  recorded = recordSockets(talk.url);
  bot = openProgram([...command, `${recorded.url.replace("http", "ws")}/v1/realtime`, talk.key], FOLDER);
  question = (await spoken(talk, "What time is it?")).toString("base64");
});
afterAll(async () => {
  await bot?.[Symbol.asyncDispose]();
  await recorded?.[Symbol.asyncDispose]();
  await talk?.[Symbol.asyncDispose]();
});

const NOTHING = { errors: [], complaints: [] };
const TURNS = [
  ["the server", true],
  ["the bot", false],
] as const;

describe.skipIf(!command)(`Pipecat 1.14${unless}`, () => {
  const told = (role: string) =>
    talk.stub.calls
      .at(-1)!
      .body.messages.filter((message) => message.role === role)
      .map(({ content }) => content);

  test("answers a text in speech", async () => {
    talk.use("echo");
    const { said, seconds, errors, complaints } = await bot.ask("write", "hello");
    expect({ said, errors, complaints }).toEqual({ said: ["You said: hello."], ...NOTHING });
    expect(seconds).toBeWithin(0.5, 4);
    expect(told("system")[0]).toStartWith("Be kind.");
  });

  test.each(TURNS)("answers speech whose end %s finds", async (_name, turnsOfServer) => {
    talk.use("echo");
    const { heard, said, errors, complaints } = await bot.ask("speak", question, turnsOfServer);
    expect({ heard, errors, complaints }).toEqual({ heard: ["what time is it"], ...NOTHING });
    expect(said[1]).toBe("You said: what time is it.");
  });

  test("calls a function once, and speaks of what it returned", async () => {
    talk.use("tool");
    const { cities, said, errors, complaints } = await bot.ask("use_tool", "What is the weather?");
    expect({ cities, said, errors, complaints }).toEqual({
      ...{ cities: ["Oslo"], said: ["It is sunny in Oslo."] },
      ...NOTHING,
    });
    expect(told("tool").join()).toContain("sunny in Oslo");
  });

  test.each(TURNS)("is interrupted by speech whose end %s finds", async (_name, turnsOfServer) => {
    talk.use("long");
    const asked = talk.stub.calls.length;
    const answered = bot.ask("interrupt", "Tell me everything.", question, turnsOfServer);
    await until(() => talk.stub.calls.length > asked);
    talk.use("echo");
    const { heard, said, errors, complaints } = await answered;
    expect({ heard, errors, complaints }).toEqual({ heard: ["what time is it"], ...NOTHING });
    expect(said[1]).toEndWith("You said: what time is it."); // after what of the first answer was still on its way
    const [heardOfAnswer] = told("assistant") as string[];
    expect(heardOfAnswer).toStartWith("This is sentence");
    expect(heardOfAnswer).not.toContain("number 3");
  });

  test("goes on after an answer that failed", async () => {
    talk.use("error:500");
    const asked = talk.stub.calls.length;
    const answered = bot.ask("recover", "hello", question);
    await until(() => talk.stub.calls.length > asked);
    talk.use("echo");
    const { said, errors, complaints } = await answered;
    expect(said.at(-1)).toEndWith("what time is it.");
    expect(errors).toEqual(["The language model failed. Try again."]);
    expect(complaints.join()).toContain("The language model failed. Try again.");
  });
});

if (command) testEveryEvent();
