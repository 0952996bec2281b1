/** A call of an operation as code: with curl, in Python and in JavaScript. */
import type { ApiOperation, Media, Schemas } from "./api-parts.ts";
import { resolved } from "./schema-fields.ts";
import { exampleOf, sampleOf, UNKNOWN } from "./schema-sample.ts";

export type CallExamples = Record<"curl" | "Python" | "JavaScript", string>;

/** `file`: fields of a form that are files have the name of one. */
type Call = {
  url: string;
  method: string;
  /** The environment variable with the key; null: the operation needs none. */
  key: string | null;
  json: unknown;
  form: [name: string, value: string, isFile: boolean][] | null;
  /** The name of the file for an answer that is not JSON; null: it is. */
  output: string | null;
};

export function callExamples(operation: ApiOperation, origin: string, schemas: Schemas): CallExamples {
  const call = callOf(operation, origin, schemas);
  return { curl: curlOf(call), Python: pythonOf(call), JavaScript: javaScriptOf(call) };
}

/** Reads, and speech: what changes nothing can be sent from its page. `body`: JSON. */
export function triedCall(
  operation: ApiOperation,
  schemas: Schemas,
): { method: string; path: string; body: string | null } | null {
  const { method, path, access } = operation;
  const changesNothing = method === "GET" || path.startsWith("/v1/audio/speech");
  if (!changesNothing || !access.includes("key") || path.includes("{")) return null;
  const { url, json } = callOf(operation, "", schemas);
  return { method, path: url, body: json === undefined ? null : JSON.stringify(json, null, 2) };
}

function callOf(operation: ApiOperation, origin: string, schemas: Schemas): Call {
  const { path, method, access, parameters, body, responses } = operation;
  const inPath = parameters.filter((each) => each.in === "path");
  const address = inPath.reduce(
    (all, { name, example }) => all.replace(`{${name}}`, String(example ?? name.toUpperCase())),
    path,
  );
  const needed = parameters.filter(
    (each) => each.in === "query" && (each.required || each.example !== undefined),
  );
  const query = needed.map(
    ({ name, example, schema }) =>
      `${name}=${encodeURIComponent(String(example ?? sampleOf(schema, { schemas, onlyRequired: true })))}`,
  );
  const form = body?.content["multipart/form-data"];
  const json = form ? undefined : body?.content["application/json"];
  return {
    ...{ url: `${origin}${address}${query.length > 0 ? `?${query.join("&")}` : ""}`, method },
    key: access.includes("key") ? "LOQUAT_KEY" : access.includes("admin") ? "LOQUAT_ADMIN_KEY" : null,
    json: json && exampleOf(json, { schemas, onlyRequired: true }),
    form: form ? formOf(form, schemas) : null,
    output: outputOf(responses),
  };
}

/** What is required, what an example has, and the first file: one of several may be sent. */
function formOf({ schema, example }: Media, schemas: Schemas): NonNullable<Call["form"]> {
  const { properties = {}, required = [] } = resolved(schema ?? {}, schemas);
  const given = (example ?? {}) as Record<string, unknown>;
  const fields = Object.entries(properties).map(([name, child]) => ({
    ...{ name, child, isFile: resolved(child, schemas).format === "binary" },
  }));
  const firstFile = fields.find(({ isFile }) => isFile)?.name;
  return fields
    .filter(({ name }) => required.includes(name) || name in given || name === firstFile)
    .map(({ name, child, isFile }) => {
      const value = given[name] ?? sampleOf(child, { schemas, onlyRequired: true });
      const word = name === "model" && value === UNKNOWN ? "svc-stt1" : String(value);
      return [name, isFile ? "recording.wav" : word, isFile];
    });
}

const ENDINGS: Record<string, string> = {
  "audio/wav": "wav",
  "text/plain": "txt",
  "application/octet-stream": "bin",
};

function outputOf(responses: ApiOperation["responses"]): string | null {
  const [, ok] = Object.entries(responses).find(([status]) => status.startsWith("2")) ?? [];
  const types = Object.keys(ok?.content ?? {});
  if (types.length === 0 || types.includes("application/json")) return null;
  const ending = types.map((type) => ENDINGS[type]).find((each) => each !== undefined);
  return `answer.${ending ?? "bin"}`;
}

const shellQuoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

function curlOf({ url, method, key, json, form, output }: Call): string {
  const implied = json === undefined && form === null ? "GET" : "POST";
  const address = /[?&]/.test(url) ? `"${url}"` : url;
  return [
    `curl ${method === implied ? "" : `-X ${method} `}${address}`,
    ...(key ? [`-H "Authorization: Bearer $${key}"`] : []),
    ...(json === undefined
      ? []
      : ['-H "Content-Type: application/json"', `-d ${shellQuoted(JSON.stringify(json))}`]),
    ...(form ?? []).map(([name, value, isFile]) => `-F ${name}=${isFile ? "@" : ""}${value}`),
    ...(output ? [`-o ${output}`] : []),
  ].join(" \\\n  ");
}

/** JSON as a literal of Python. */
const literalOf = (value: unknown): string =>
  JSON.stringify(value, null, 4).replaceAll(/(?<=[ [:])(true|false|null)(?=[,\n]|$)/g, (word) =>
    word === "null" ? "None" : word === "true" ? "True" : "False",
  );

const indented = (text: string, by: number): string => text.replaceAll("\n", `\n${" ".repeat(by)}`);

function pythonOf({ url, method, key, json, form, output }: Call): string {
  const files = (form ?? []).filter(([, , isFile]) => isFile);
  const fields = (form ?? []).filter(([, , isFile]) => !isFile);
  const entries = (all: string[]) => `{${all.join(", ")}}`;
  const parts = [
    JSON.stringify(url),
    ...(key ? [`headers={"Authorization": f"Bearer {os.environ['${key}']}"}`] : []),
    ...(json === undefined ? [] : [`json=${indented(literalOf(json), 4)}`]),
    ...(fields.length > 0
      ? [`data=${entries(fields.map(([name, value]) => `"${name}": ${JSON.stringify(value)}`))}`]
      : []),
    ...(files.length > 0
      ? [`files=${entries(files.map(([name, value]) => `"${name}": open("${value}", "rb")`))}`]
      : []),
  ];
  const call = `response = requests.${method.toLowerCase()}(\n    ${parts.join(",\n    ")},\n)`;
  const use = output ? `open("${output}", "wb").write(response.content)` : "print(response.json())";
  return `${key ? "import os\n\n" : ""}import requests\n\n${call}\nresponse.raise_for_status()\n${use}`;
}

function javaScriptOf({ url, method, key, json, form, output }: Call): string {
  const headers = [
    ...(key ? [`Authorization: \`Bearer \${process.env.${key}}\``] : []),
    ...(json === undefined ? [] : ['"Content-Type": "application/json"']),
  ];
  const options = [
    ...(method === "GET" ? [] : [`method: "${method}"`]),
    ...(headers.length > 0 ? [`headers: { ${headers.join(", ")} }`] : []),
    ...(json === undefined ? [] : [`body: JSON.stringify(${indented(JSON.stringify(json, null, 2), 2)})`]),
    ...(form ? ["body: form"] : []),
  ];
  const filled = (form ?? []).map(([name, value, isFile]) =>
    isFile
      ? `form.set("${name}", await openAsBlob("${value}"), "${value}");`
      : `form.set("${name}", ${JSON.stringify(value)});`,
  );
  const imports = [
    ...(filled.some((line) => line.includes("openAsBlob")) ? ['import { openAsBlob } from "node:fs";'] : []),
    ...(output ? ['import { writeFile } from "node:fs/promises";'] : []),
  ];
  const call = `const response = await fetch(${JSON.stringify(url)}${options.length > 0 ? `, {\n  ${options.join(",\n  ")},\n}` : ""});`;
  const use = output
    ? `await writeFile("${output}", new Uint8Array(await response.arrayBuffer()));`
    : "console.log(await response.json());";
  return [
    ...(imports.length > 0 ? [...imports, ""] : []),
    ...(form ? ["const form = new FormData();", ...filled, ""] : []),
    ...[call, "if (!response.ok) throw new Error(await response.text());", use],
  ].join("\n");
}
