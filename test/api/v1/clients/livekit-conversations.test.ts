/** Promise: agents of LiveKit, in JavaScript and in Python, converse with nothing set but the URL and the key. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { installTools, nodePath } from "../../../tools.ts";
import { until } from "../../../until.ts";
import { testEveryEvent } from "../conversation/every-event.ts";
import { recordSockets } from "../conversation/recorded-sockets.ts";
import { openTalk, spoken, type Talk } from "../conversation/talk.ts";
import { scriptedLive } from "../realtime/live.ts";
import { openProgram, type Program } from "./program.ts";
import { pythonCommand } from "./python.ts";

setDefaultTimeout(120_000);

let talk: Talk;
let recorded: ReturnType<typeof recordSockets>;
let question: string;
beforeAll(async () => {
  talk = await openTalk({ services: { live: scriptedLive(() => "what time is it").live } });
  recorded = recordSockets(talk.url);
  question = (await spoken(talk, "What time is it?", 5)).toString("base64"); // by default the plugin waits 4 s
});
afterAll(async () => {
  await recorded[Symbol.asyncDispose]();
  await talk[Symbol.asyncDispose]();
});

type Agent = { name: string; command: string[] | null; unless: string; folder: string };

function inJavaScript(): Agent {
  const name = "LiveKit Agents 1.9 for JavaScript";
  const { isInstalled, unless, folder } = installTools(
    "@livekit/agents@1.9.0",
    "@livekit/agents-plugin-openai@1.9.0",
  );
  const node = nodePath();
  if (!node) return { name, command: null, unless: " (skipped: there is no node here)", folder };
  const program = readFileSync(new URL("livekit-conversations.mjs", import.meta.url), "utf8");
  const command = [node, "--input-type=module", "--eval", program]; // so that it finds the packages of its folder
  return { name, command: isInstalled ? command : null, unless, folder };
}

const inPython: Agent = {
  name: "LiveKit Agents 1.8 for Python",
  ...pythonCommand("livekit_conversations.py"),
  folder: fileURLToPath(new URL(".", import.meta.url)),
};

const agents = [inJavaScript(), inPython];
for (const { name, unless, command, folder } of agents)
  describe(`${name}${unless}`, () => {
    let agent: Program;
    beforeAll(() => {
      if (command) agent = openProgram([...command, `${recorded.url}/v1`, talk.key], folder);
    });
    afterAll(() => agent?.[Symbol.asyncDispose]());
    const lastMessages = () => talk.stub.calls.at(-1)!.body.messages;
    const told = (role: string) =>
      lastMessages()
        .filter((message) => message.role === role)
        .map(({ content }) => content);

    test.skipIf(!command)("answers a text in speech", async () => {
      talk.use("echo");
      const { said, seconds, errors, complaints } = await agent.ask("write", "hello");
      expect({ said, errors, complaints }).toEqual({
        said: ["You said: hello."],
        errors: [],
        complaints: [],
      });
      expect(seconds).toBeWithin(0.5, 4);
      expect(lastMessages()[0]!.content).toStartWith("Be kind.");
    });

    test.skipIf(!command)("answers speech", async () => {
      const { heard, said, errors, complaints } = await agent.ask("speak", question);
      expect({ heard, said, errors, complaints }).toEqual({
        ...{ heard: ["what time is it"], said: ["You said: what time is it."] },
        ...{ errors: [], complaints: [] },
      });
    });

    test.skipIf(!command)("calls a function once, and speaks of what it returned", async () => {
      talk.use("tool");
      const { cities, said, errors, complaints } = await agent.ask("use_tool", "What is the weather?");
      expect({ cities, said, errors, complaints }).toEqual({
        ...{ cities: ["Oslo"], said: ["It is sunny in Oslo."] },
        ...{ errors: [], complaints: [] },
      });
      expect(told("tool").join()).toContain("sunny in Oslo");
    });

    test.skipIf(!command)("is interrupted by speech, and knows what was heard", async () => {
      talk.use("long");
      const asked = talk.stub.calls.length;
      const answered = agent.ask("interrupt", "Tell me everything.", question);
      await until(() => talk.stub.calls.length > asked);
      talk.use("echo");
      const { said, heard, interrupted, errors, complaints } = await answered;
      expect({ errors, complaints }).toEqual({ errors: [], complaints: [] });
      expect(heard).toEqual(["Tell me everything.", "what time is it"]);
      expect(said[1]).toBe("You said: what time is it.");
      expect(interrupted.filter(Boolean)).toHaveLength(1);
      const [heardOfAnswer] = told("assistant") as string[];
      expect(heardOfAnswer).toStartWith("This is sentence number 1");
      expect(heardOfAnswer).not.toContain("number 4");
    });

    test.skipIf(!command)("asks for an answer with instructions and tools of its own", async () => {
      talk.use("echo");
      const { text, seconds, elapsed, metadata, errors, complaints } = await agent.ask(
        "generate",
        "Say hello.",
      );
      expect({ errors, complaints }).toEqual({ errors: [], complaints: [] });
      expect(text).toBe("You said: (The conversation starts.).");
      expect(seconds).toBeGreaterThan(0.5);
      expect(elapsed).toBeLessThan(10);
      expect(metadata).toEqual({ client_event_id: expect.any(String) });
      const { messages, tools } = talk.stub.calls.at(-1)!.body;
      expect(messages[0]!.content).toStartWith("Be kind.\nSay hello.");
      expect(tools?.map((tool) => tool.function.name)).toEqual(["weather"]);
    });

    test.skipIf(!command)("brings a context of its own", async () => {
      const { text, ids, added, errors, complaints } = await agent.ask("follow");
      expect({ errors, complaints }).toEqual({ errors: [], complaints: [] });
      expect(added).toEqual(ids.map((id: string, index: number) => [id, ids[index - 1] ?? null]));
      expect(text).toBe("You said: What is the weather?.");
      expect(lastMessages().map(({ role }) => role)).toEqual(["system", "user", "assistant", "tool"]);
    });

    test.skipIf(!command)("truncates an answer to what it has played", async () => {
      talk.use("long");
      const asked = talk.stub.calls.length;
      const answered = agent.ask("truncate", question, 300);
      await until(() => talk.stub.calls.length > asked);
      talk.use("echo");
      const { text, status, cut, next, errors, complaints } = await answered;
      expect({ status, cut, errors, complaints }).toEqual({
        ...{ status: "cancelled", cut: 300 },
        ...{ errors: [], complaints: [] },
      });
      expect(next).toStartWith("You said: ");
      expect(told("user")[0]).toBe("what time is it");
      const [heard] = told("assistant") as string[];
      expect(text).toStartWith(heard!);
      expect(heard!.length).toBeLessThan(20);
    });
  });

if (agents.some(({ command }) => command)) testEveryEvent();
