/**
 * The table of docs/tested-clients.md: what the tests do with published clients, read from their titles.
 *
 *   describe("@deepgram/sdk 5.13", …)                       the client, where it begins with one of `NAMES` and a version
 *     test("models.list: the voices as models", …)   a row: the call, and what comes of it
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Expression, type Node, type Program, parseSync, visitorKeys } from "oxc-parser";
import { aligned, withBlock } from "./blocks.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

const NAMES = [
  ...["openai", "@openai/", "@ai-sdk/", "ai ", "LiveKit", "livekit-", "@livekit/", "Pipecat", "pipecat-ai"],
  ...["@elevenlabs/", "elevenlabs", "@deepgram/", "deepgram-sdk", "@modelcontextprotocol/", "mcp "],
  ...["wyoming", "litellm", "SpeechRecognition"],
];

/** The clients of files whose tests are in no block that names one. */
const FILES: Record<string, string> = {
  "test/api/v1/clients/background-clients.test.ts": "openai 4, 6 and 7",
  "test/api/v1/clients/clients.test.ts": "openai 4 and 7",
  "test/api/v1/clients/client-defaults.test.ts": "openai 4 and 7, ai 7, LiveKit Agents 1.9",
  "test/api/v1/clients/conversations.test.ts": "openai 4 and 7, @openai/agents-realtime 0.20",
  "test/api/v1/clients/livekit-conversations.test.ts": "LiveKit Agents 1.8 (Python), 1.9 (JavaScript)",
  "test/api/v1/clients/realtime-clients.test.ts": "openai 4, 6 and 7",
  "test/api/v1/clients/replays.test.ts": "requests of applications, by their sources",
  "test/examples/clients.test.ts": "requests of applications, by their sources",
};

/** `call` "": the title says what is done. */
type Row = { client: string; call: string; result: string; file: string };

/** The rows of all tests, by client. */
function clientRows(): Row[] {
  const files = readdirSync(join(ROOT, "test"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".test.ts"))
    .map((name) => join("test", name).replaceAll("\\", "/"))
    .sort();
  const rows = files.flatMap(rowsOf);
  return rows.toSorted((one, other) => (one.client < other.client ? -1 : one.client > other.client ? 1 : 0));
}

/** Files of the folder of client tests that have no row. */
export function unnamedClientFiles(): string[] {
  const named = new Set(clientRows().map(({ file }) => file));
  const folder = "test/api/v1/clients";
  return readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith(".test.ts"))
    .map((name) => `${folder}/${name}`)
    .filter((file) => !named.has(file));
}

export function withClients(page: string): string {
  const rows = clientRows().map(({ client, call, result, file }) => [
    client,
    call === "" ? "" : call.replace(/[\w.$]+(?:\.[\w$]+)+/g, "`$&`"),
    result.replaceAll("|", "\\|"),
    `\`${file}\``,
  ]);
  return withBlock(
    page,
    "clients",
    aligned([["Client", "Call", "What is tested", "Test"], ...rows]).join("\n"),
  );
}

function rowsOf(file: string): Row[] {
  const text = readFileSync(join(ROOT, file), "utf8");
  if (!(file in FILES) && !NAMES.some((name) => text.includes(name))) return [];
  const rows: Row[] = [];
  const { program } = parseSync(file, text);
  const tests = new Set(["test", ...namesOfTests(program)]);
  const visit = (node: Node, client: string | null) => {
    const titled = titleOf(node, tests);
    const named = titled?.kind === "describe" && isClient(titled.title) ? titled.title : client;
    if (titled?.kind === "test" && named !== null)
      rows.push({ client: named, file, ...partsOf(titled.title) });
    for (const key of visitorKeys[node.type] ?? [])
      for (const child of [(node as never)[key] as Node | Node[] | null].flat())
        if (child) visit(child, named);
  };
  visit(program, FILES[file] ?? null);
  return rows;
}

/** `const speaks = test.skipIf(…)`: what else tests are called in this file. */
const namesOfTests = ({ body }: Program): string[] =>
  body.flatMap((statement) =>
    statement.type === "VariableDeclaration"
      ? statement.declarations.flatMap(({ id, init }) =>
          id.type === "Identifier" && init?.type === "CallExpression" && rootOf(init.callee) === "test"
            ? [id.name]
            : [],
        )
      : [],
  );

const isClient = (title: string): boolean =>
  /\s\d[\d.]*\b/.test(title) && NAMES.some((name) => title.startsWith(name));

/** `voices.get, voices.list: lists voices` names calls; another colon does not. */
function partsOf(title: string): Pick<Row, "call" | "result"> {
  const [call = "", result] = title.split(/: (.*)/s);
  return result !== undefined && /^[\w.$ ,/-]{1,80}$/.test(call)
    ? { call, result }
    : { call: "", result: title };
}

type Titled = { kind: "test" | "describe"; title: string };

/** Of `test("…")`, `test.skipIf(…)("…")`, `describe.each(…)("…")` and the like. */
function titleOf(node: Node, tests: ReadonlySet<string>): Titled | null {
  if (node.type !== "CallExpression") return null;
  const [first] = node.arguments;
  const title = first && textOf(first as Expression);
  const root = rootOf(node.callee) ?? "";
  const kind = tests.has(root) ? "test" : root;
  return title && (kind === "test" || kind === "describe") ? { kind, title } : null;
}

function rootOf(callee: Expression): string | null {
  if (callee.type === "CallExpression") return rootOf(callee.callee);
  if (callee.type === "MemberExpression") return rootOf(callee.object);
  return callee.type === "Identifier" ? callee.name : null;
}

/** Without what is known at run time only, such as why a test is skipped. */
function textOf(node: Expression): string | null {
  if (node.type === "Literal" && typeof node.value === "string") return shown(node.value);
  if (node.type !== "TemplateLiteral") return null;
  return shown(node.quasis.map(({ value }) => value.cooked ?? "").join("")) || null;
}

const shown = (title: string): string => title.replace(/%[sp]/g, "…").trim();
