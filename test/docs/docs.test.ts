/** Promise: the documentation agrees with the code: variables, imports, the OpenAPI document, links and paths. */
import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { targetsLike, targetsOf } from "../../bench/real-size/measured-packages.ts";
import { unnamedClientFiles, withClients } from "../../scripts/docs/clients-table.ts";
import { withCommands } from "../../scripts/docs/commands.ts";
import { withDrawings } from "../../scripts/docs/drawing.ts";
import { withErrors } from "../../scripts/docs/error-table.ts";
import { withLogEvents } from "../../scripts/docs/log-events.ts";
import { withMetrics } from "../../scripts/docs/metrics-table.ts";
import { withPackageTables } from "../../scripts/docs/models.ts";
import { generateOpenApi } from "../../scripts/docs/openapi.ts";
import { withRules } from "../../scripts/docs/rules.ts";
import { withVariables } from "../../scripts/docs/variables-table.ts";
import { VERIFIED } from "../../scripts/docs/verified.ts";
import { withWebhookEvents } from "../../scripts/docs/webhook-events.ts";
import { readConfig, SECRETS, VARIABLES } from "../../src/config/config.ts";
import { type Package, readPackages } from "../../src/models/packages/package.ts";
import { readPresets } from "../../src/upstreams/definition.ts";
import { speechSnippets, transcriptionSnippets } from "../../src/web/api/snippets.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");
const pages = [
  ...readdirSync(ROOT).filter((name) => name.endsWith(".md")),
  ...readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
];

describe("environment variables", () => {
  const names = [...Object.keys(VARIABLES), ...SECRETS.map((name) => `${name}_FILE`)].sort();

  test("VARIABLES and SECRETS list exactly the environment variables that config.ts reads", () => {
    const asked = new Set<string>();
    const values: Record<string, string> = { STRIPE_SECRET_KEY: "sk", STRIPE_WEBHOOK_SECRET: "whsec" };
    readConfig(
      new Proxy(values, {
        get(target, name) {
          asked.add(String(name));
          return target[String(name)];
        },
      }),
    );
    expect([...asked].sort()).toEqual(names);
  });

  test("docs/configuration.md has the tables of variables; `npm run docs` updates it", () => {
    const page = read("docs/configuration.md");
    for (const name of names) expect(page).toContain(`\`${name}\``);
    expect(withVariables(page)).toBe(page);
  });
});

test("docs/architecture.md draws the import table; `npm run docs` updates it", () => {
  const page = read("docs/architecture.md");
  expect(page).toContain("<!-- layers -->");
  expect(page).toContain("<!-- imports -->");
  expect(withDrawings(page)).toBe(page);
});

test("docs/models.md lists the packages of the manifests; `npm run docs` updates it", () => {
  const page = read("docs/models.md");
  expect(page).toContain("<!-- packages -->");
  expect(page).toContain("<!-- verified -->");
  expect(withPackageTables(page)).toBe(page);
});

/** Too large for the machines that measure. */
const TOO_LARGE = ["whisper-large-v3-turbo fp32"];

test("manifests have memory and speed of what bench/real-size measures, and of what that stands for", () => {
  const packages = readPackages(readConfig({}).models.folder);
  const nameOf = ({ name }: Package, variant: string | null) =>
    variant === null ? name : `${name} ${variant}`;
  const measured = [...packages.values()].flatMap((pkg) =>
    (pkg.measured ?? []).map(({ variant }) => nameOf(pkg, variant)),
  );
  const expected = targetsOf(packages)
    .flatMap((target) => targetsLike(target, packages))
    .map(({ pkg, variant }) => nameOf(pkg, variant))
    .filter((name) => !TOO_LARGE.includes(name));
  expect(measured.toSorted()).toEqual(expected.toSorted());
});

test("docs/models.md names tests that exist for what was verified", () => {
  const paths = Object.values(VERIFIED).flatMap(({ tests }) => tests);
  expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

test("docs/upstreams.md has a row for each preset, and another for those with language models", () => {
  const page = read("docs/upstreams.md");
  const { folder } = readConfig({}).models;
  for (const [name, preset] of readPresets(folder)) {
    const { max_in_flight, chat } = preset as { max_in_flight: number; chat?: { load_ms: number } };
    const rows = page.split("\n").filter((line) => line.startsWith(`| \`${name}\` `));
    const cells = rows.map((row) => row.split("|").map((cell) => cell.trim()));
    expect({ name, places: cells[0]?.[2] }).toEqual({ name, places: String(max_in_flight) });
    expect({ name, load: cells[1]?.[7] }).toEqual({ name, load: chat && `${chat.load_ms / 1000} s` });
  }
});

test("docs/command-line.md describes every command; `npm run docs` updates it", async () => {
  const page = read("docs/command-line.md");
  expect(page).toContain("### loquat serve");
  expect(await withCommands(page)).toBe(page);
});

test("docs/tested-clients.md has a row for each test of a client; `npm run docs` updates it", () => {
  const page = read("docs/tested-clients.md");
  expect(page).toContain("| @elevenlabs/elevenlabs-js 2.73 ");
  expect(withClients(page)).toBe(page);
  expect(unnamedClientFiles()).toEqual([]);
});

test("docs/requests.md lists the error codes of the public API; run npm run docs", () => {
  const page = read("docs/requests.md");
  expect(page).toContain("`internal_error`");
  expect(withErrors(page)).toBe(page);
});

test("docs/requests.md names the formats that each model of speech streams", () => {
  const page = read("docs/requests.md").replaceAll("\n", " ");
  const models = readdirSync(join(ROOT, "models")).filter((name) => name.startsWith("svc-tts"));
  expect(models).not.toEqual([]);
  for (const { model, speech } of models.map((name) => JSON.parse(read(`models/${name}`)))) {
    const formats = speech.streamable_formats.map((format: string) => `\`${format}\``);
    const claim = `\`${model}\` streams ${formats.join(", ")},`;
    expect({ claim, isMade: page.includes(claim) }).toEqual({ claim, isMade: true });
  }
});

test("docs/monitoring.md lists the events of the log; `npm run docs` updates it", () => {
  const page = read("docs/monitoring.md");
  expect(page).toContain("| `request` ");
  expect(withLogEvents(page)).toBe(page);
});

test("docs/webhooks.md lists the events that are sent; `npm run docs` updates it", () => {
  const page = read("docs/webhooks.md");
  expect(page).toContain("| `api_key.created` ");
  expect(withWebhookEvents(page)).toBe(page);
});

test("docs/monitoring.md lists the metrics; `npm run docs` updates it", () => {
  const page = read("docs/monitoring.md");
  expect(page).toContain("| `loquat_live_sessions` ");
  expect(withMetrics(page)).toBe(page);
});

test("docs/text.md lists the rules of English; `npm run docs` updates it", () => {
  const page = read("docs/text.md");
  expect(page).toContain("- **ISO date**: ");
  expect(withRules(page)).toBe(page);
});

test("openapi.json is what the server generates; `npm run docs` updates it", async () => {
  expect(await generateOpenApi()).toBe(read("openapi.json"));
});

test("README.md has 120 lines at most and says what this is in its first sentence", () => {
  const readme = read("README.md");
  expect(readme.split("\n").length - 1).toBeLessThanOrEqual(120);
  expect(readme).toMatch(/^# Loquat\n\nA self-hosted, OpenAI-compatible speech API/);
});

test("README.md calls the API as the dashboard's code snippets do", () => {
  const readme = read("README.md").replaceAll(/ \\\n\s*/g, " ");
  const call = (path: string, text: string) =>
    new RegExp(`curl \\S+${path} .*?(?= -[dF])`).exec(text.replaceAll(/ \\\n\s*/g, " "))?.[0];
  const base = "http://127.0.0.1:8080/v1";
  const request = JSON.parse(/-d '(\{.*?\})'/.exec(readme)![1]!);
  const speech = speechSnippets(base, request);
  const transcription = transcriptionSnippets(
    base,
    { model: "svc-stt1", response_format: "json" },
    "hello.wav",
  );
  for (const [path, { curl }] of [
    ["/audio/speech", speech],
    ["/audio/transcriptions", transcription],
  ] as const)
    expect(call(path, readme)).toBe(call(path, curl!)!);
  const python = speech.Python! + transcription.Python!;
  const methods = readme.match(/client\.[\w.]+\(|speech\.write_to_file\(|base_url="\S+"/g)!;
  expect(methods.length).toBeGreaterThanOrEqual(4);
  for (const method of methods) expect(python).toContain(method);
});

describe("links and paths", () => {
  test.each(pages)("%s links to files that exist", (page) => {
    const targets = [...read(page).matchAll(/\]\((?!https?:|#)([^)#\s]+)[^)]*\)/g)].map(
      ([, target]) => target!,
    );
    const isOfHost = (target: string) => target === "../../releases"; // a page that GitHub has beside the README
    const files = targets.filter((target) => !isOfHost(target));
    expect(files.filter((target) => !existsSync(join(ROOT, dirname(page), target)))).toEqual([]);
  });

  test.each(pages)("%s names files and folders that exist", (page) => {
    const names = [...read(page).matchAll(/`((?:src|test|bench|docs|examples|workers)\/[\w./-]+)`/g)];
    const isPlaceholder = (name: string) => /[A-Z]{4,}/.test(name);
    const missing = names
      .map(([, name]) => name!)
      .filter((name) => !isPlaceholder(name) && !existsSync(join(ROOT, name)));
    expect(missing).toEqual([]);
  });
});
