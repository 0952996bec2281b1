/** GET /llms.txt: what a language model needs to write a client of this server, in one page of text. */
import type { AnyElysia } from "elysia";
import { openApiDocument } from "../openapi/document.ts";

const INTRODUCTION = `# Loquat

> A self-hosted, OpenAI-compatible speech API: text to speech, transcription of files, live transcription.

OpenAI's SDKs work with another base URL and key. Requests carry \`Authorization: Bearer KEY\`. Models and voices are those
of this server: list them before naming one. Errors are \`{"error": {"type", "code", "message", "param", "request_id"}}\`;
429 and 503 carry \`retry-after\` in seconds.`;

type Documented = { paths: Record<string, Record<string, { summary: string }>> };

/** `origin`: under which clients reach this server. */
export function llmsText(app: AnyElysia, origin: string): string {
  const { paths } = openApiDocument(app, "public", origin) as Documented;
  const routes = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, { summary }]) => `- \`${method.toUpperCase()} ${path}\`: ${summary}`,
    ),
  );
  return `${INTRODUCTION}

## Addresses

- Base URL: ${origin}/v1
- [OpenAPI document](${origin}/docs/json): every route, field, response and error

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
