/** GET /llms.txt: what a language model needs to write a client of this server, in one page of text; /llms-full.txt: all guides. */
import type { OpenApi } from "./api-parts.ts";

const INTRODUCTION = `# Loquat

> A self-hosted, OpenAI-compatible speech API: text to speech, transcription of files, live transcription.

OpenAI's SDKs work with another base URL and key. Requests carry \`Authorization: Bearer KEY\`. Models and voices are those
of this server: list them before naming one. Errors are \`{"error": {"type", "code", "message", "param", "request_id"}}\`;
429 and 503 carry \`retry-after\` in seconds.`;

/** `origin`: under which clients reach this server. `guides`: their titles by name. */
export function llmsText({ paths }: OpenApi, origin: string, guides: ReadonlyMap<string, string>): string {
  const routes = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, { summary }]) => `- \`${method.toUpperCase()} ${path}\`: ${summary}`,
    ),
  );
  return `${INTRODUCTION}

## Addresses

- Base URL: ${origin}/v1
- [OpenAPI document](${origin}/docs/json): every route, field, response and error

- [All guides](${origin}/llms-full.txt), as one text

## Guides

${[...guides].map(([name, title]) => `- [${title}](${origin}/docs/${name}.md)`).join("\n")}

## Routes

${routes.join("\n")}
- \`WS /v1/realtime?intent=transcription\`: live transcription, with the events of OpenAI's realtime API

## Example

\`\`\`sh
curl ${origin}/v1/audio/speech -H "Authorization: Bearer $LOQUAT_KEY" -H "Content-Type: application/json" \\
  -d '{"model":"svc-tts1","voice":"female-warm","input":"Good morning."}' -o hello.wav
curl ${origin}/v1/audio/transcriptions -H "Authorization: Bearer $LOQUAT_KEY" -F model=svc-stt1 -F file=@hello.wav
\`\`\`
`;
}

/** `guides`: as Markdown. */
export const llmsFullText = (guides: readonly string[], origin: string): string =>
  `${INTRODUCTION}

The base URL is ${origin}/v1. ${origin}/docs/json is the OpenAPI document.

${guides.join("\n\n---\n\n")}`;
