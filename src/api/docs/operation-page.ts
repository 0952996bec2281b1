/** The page of one operation of an API: what it takes, what it answers, and calls of it as code beside that; HTML. */
import type { ApiOperation, ApiResponse, Parameter, Schemas } from "./api-parts.ts";
import { callExamples, triedCall } from "./call-examples.ts";
import { fieldOf, fieldsOf, textOf } from "./schema-fields.ts";
import { exampleOf } from "./schema-sample.ts";

/** `root`: the address of the reference. */
type Shown = { operation: ApiOperation; origin: string; schemas: Schemas };

export const operationPage = (shown: Shown): { content: string; aside: string } => ({
  content: contentOf(shown),
  aside: asideOf(shown),
});

const ACCESS: Record<string, string> = {
  key: "an API key",
  admin: "an admin key",
  session: "the session of a signed-in person",
};

const IN = { path: "Parameters of the path", query: "Parameters of the query", header: "Headers" } as const;

function contentOf({ operation, schemas }: Shown): string {
  const { summary, method, path, description, access, parameters, body, responses } = operation;
  const needs = access.map((each) => ACCESS[each] ?? each).join(" or ");
  const groups = (["path", "query", "header"] as const).flatMap((place) => {
    const all = parameters.filter((each) => each.in === place);
    return all.length > 0 ? [section(IN[place], parameterList(all, schemas))] : [];
  });
  const bodies = Object.entries(body?.content ?? {}).map(([type, { schema }]) =>
    section(`Body: <code>${type}</code>`, fieldsOf(schema ?? {}, schemas) || "<p>Any.</p>"),
  );
  return `<h1>${Bun.escapeHTML(summary)}</h1>
<p class="endpoint"><span class="method ${method.toLowerCase()}">${method}</span> <code>${Bun.escapeHTML(path)}</code></p>
${textOf(description)}
<p class="needs">${needs ? `Needs ${needs}.` : "Needs no key."}</p>
${groups.join("")}${bodies.join("")}
${section(
  "Answers",
  Object.entries(responses)
    .map(([status, each]) => answerOf(status, each, schemas))
    .join(""),
)}`;
}

const section = (title: string, content: string): string => `<section><h2>${title}</h2>${content}</section>`;

const parameterList = (parameters: readonly Parameter[], schemas: Schemas): string =>
  `<ul class="fields">${parameters
    .map(({ name, schema, description, required = false }) =>
      fieldOf({
        ...{ name, schemas, depth: 0, isRequired: required },
        schema: { ...schema, ...(description === undefined ? {} : { description }) },
      }),
    )
    .join("")}</ul>`;

/** Codes of errors with an example of each message; what an answer has, folded. */
function answerOf(
  status: string,
  { description, content = {}, headers = {} }: ApiResponse,
  schemas: Schemas,
): string {
  const codes = Object.entries(content["application/json"]?.examples ?? {});
  const isError = Number(status) >= 400;
  const errors = codes.map(
    ([code, { value }]) =>
      `<li><code>${Bun.escapeHTML(code)}</code> ${Bun.escapeHTML(messageOf(value))}</li>`,
  );
  const bodies = Object.entries(content).map(([type, { schema = {} }]) => {
    const fields = isError ? "" : fieldsOf(schema, schemas);
    return `<p><code>${type}</code></p>${textOf(schema.description ?? "")}${fields}`;
  });
  const named = Object.entries(headers).map(([name, header]) =>
    fieldOf({
      ...{ name, schemas, depth: 0, isRequired: false },
      schema: { ...header.schema, description: header.description ?? "" },
    }),
  );
  const heads =
    named.length > 0
      ? `<details><summary>${named.length} header${named.length === 1 ? "" : "s"}</summary><ul class="fields">${named.join("")}</ul></details>`
      : "";
  const inside = isError ? `<ul class="codes">${errors.join("")}</ul>${heads}` : `${bodies.join("")}${heads}`;
  const isOpen = status.startsWith("2") ? " open" : "";
  return `<details class="answer"${isOpen}><summary><span class="status s${status[0]}">${status}</span> ${inline(description)}</summary>${inside}</details>`;
}

/** A line of markdown, whose code alone is set. */
const inline = (markdown: string): string =>
  Bun.escapeHTML(markdown).replaceAll(/`([^`]+)`/g, "<code>$1</code>");

const messageOf = (value: unknown): string =>
  String((value as { error?: { message?: unknown } } | undefined)?.error?.message ?? "");

function asideOf({ operation, origin, schemas }: Shown): string {
  const calls = Object.entries(callExamples(operation, origin, schemas)).map(
    ([language, code]) =>
      `<figure data-language="${language}"><figcaption>${language}</figcaption>${block(code)}</figure>`,
  );
  const tried = triedCall(operation, schemas);
  const data = tried === null ? "" : ` data-try="${Bun.escapeHTML(JSON.stringify(tried))}"`;
  return `<aside class="code" aria-label="Examples"${data}><div class="languages">${calls.join("")}</div>${answerExample(operation, schemas)}</aside>`;
}

const block = (code: string): string => `<pre tabindex="0"><code>${Bun.escapeHTML(code)}</code></pre>`;

function answerExample({ responses }: ApiOperation, schemas: Schemas): string {
  const [status, ok] = Object.entries(responses).find(([each]) => each.startsWith("2")) ?? [];
  const media = ok?.content?.["application/json"];
  const short = media && exampleOf(media, { schemas, onlyRequired: true });
  const isEmpty = short !== undefined && JSON.stringify(short) === "{}";
  const example = media && isEmpty ? exampleOf(media, { schemas, onlyRequired: false }) : short;
  if (example === undefined) return "";
  return `<figure><figcaption>Answer, ${status}</figcaption>${block(JSON.stringify(example, null, 2))}</figure>`;
}
