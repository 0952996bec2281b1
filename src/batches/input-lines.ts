/** The lines of a batch's input: read one by one in bounded memory, and checked as a whole before the first is begun. */
import { parseJson } from "../bounded-json.ts";

const LINES_MAX = 10_000;
export const INPUT_BYTES_MAX = 100 * 1024 * 1024;
const LINE_BYTES_MAX = 64 * 1024;
const CUSTOM_ID_MAX = 512;
const FAULTS_MAX = 100;
/** Lines are read without a pause so many at a time. */
const AT_A_TIME = 200;

export type Line = { line: number; customId: string; body: Record<string, unknown> };

/** As clients of batches read it. */
export type BatchFault = { code: string; message: string; line: number | null; param: string | null };

type Read = { line: number; text: string } | { line: number; fault: BatchFault };

/** Every line that is not blank, from 1. */
async function* linesIn(content: AsyncIterable<Uint8Array>): AsyncGenerator<Read> {
  let line = 0;
  let rest = Buffer.alloc(0);
  const read = (bytes: Uint8Array): Read | null => {
    line++;
    if (bytes.length > LINE_BYTES_MAX) return { line, fault: tooLong(line) };
    const text = Buffer.from(bytes).toString("utf8").trim();
    return text === "" ? null : { line, text };
  };
  for await (const piece of content) {
    let from = 0;
    for (let end = piece.indexOf(0x0a); end >= 0; end = piece.indexOf(0x0a, from)) {
      const each = read(
        rest.length > 0 ? Buffer.concat([rest, piece.subarray(from, end)]) : piece.subarray(from, end),
      );
      rest = Buffer.alloc(0);
      from = end + 1;
      if (each) yield each;
      if (line % AT_A_TIME === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    const tail = Buffer.from(piece.subarray(from));
    rest = Buffer.concat([rest, tail]).subarray(0, LINE_BYTES_MAX + 1); // of one that is too long, no more than shows it
  }
  const last = read(rest);
  if (last) yield last;
}

/** The lines from `first` on, of an input that was checked. */
export async function* checkedLines(
  content: AsyncIterable<Uint8Array>,
  endpoint: string,
  first: number,
): AsyncGenerator<Line> {
  for await (const read of linesIn(content)) {
    if (read.line < first || "fault" in read) continue;
    const parsed = parsedLine(read, endpoint);
    if ("body" in parsed) yield parsed;
  }
}

/** What is wrong with an input, at most a hundred times, and how many lines it has. */
export async function faultsIn(
  content: AsyncIterable<Uint8Array>,
  endpoint: string,
): Promise<{ faults: BatchFault[]; lines: number }> {
  const faults: BatchFault[] = [];
  const ids = new Set<string>();
  let lines = 0;
  for await (const read of linesIn(content)) {
    lines++;
    if (lines > LINES_MAX) return { faults: [tooMany()], lines };
    const parsed = "fault" in read ? read.fault : parsedLine(read, endpoint);
    if (!("body" in parsed)) faults.push(parsed);
    else if (ids.has(parsed.customId)) faults.push(repeated(parsed));
    else ids.add(parsed.customId);
    if (faults.length >= FAULTS_MAX) break;
  }
  if (lines === 0)
    faults.push({ code: "empty_file", message: "The input has no lines.", line: null, param: null });
  return { faults, lines };
}

type Asked = { custom_id?: unknown; method?: unknown; url?: unknown; body?: unknown };

function parsedLine({ line, text }: { line: number; text: string }, endpoint: string): Line | BatchFault {
  const wrong = (code: string, param: string | null, message: string): BatchFault => ({
    code,
    message,
    line,
    param,
  });
  const { value, problem } = parseJson(text);
  if (problem !== null) return wrong("invalid_json_line", null, `The line ${problem}.`);
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return wrong("invalid_json_line", null, "The line must be a JSON object.");
  const { custom_id: customId, method, url, body } = value as Asked;
  if (typeof customId !== "string" || customId === "" || customId.length > CUSTOM_ID_MAX)
    return wrong(
      "invalid_custom_id",
      "custom_id",
      `custom_id must be a text of 1 to ${CUSTOM_ID_MAX} characters.`,
    );
  if (method !== "POST") return wrong("invalid_method", "method", "method must be POST.");
  if (url !== endpoint)
    return wrong("mismatched_endpoint", "url", `url must be ${endpoint}, as the batch has it.`);
  if (typeof body !== "object" || body === null || Array.isArray(body))
    return wrong("invalid_body", "body", "body must be a JSON object.");
  return { line, customId, body: body as Record<string, unknown> };
}

const repeated = ({ line, customId }: Line): BatchFault => ({
  ...{ code: "duplicate_custom_id", line, param: "custom_id" },
  message: `custom_id ${customId.slice(0, 100)} is that of an earlier line.`,
});

const tooLong = (line: number): BatchFault => ({
  ...{ code: "line_too_long", line, param: null },
  message: `The line is longer than ${LINE_BYTES_MAX / 1024} KB. Send recordings as files, and name them by file_id.`,
});

const tooMany = (): BatchFault => ({
  ...{ code: "too_many_lines", line: null, param: null },
  message: `The input has more than ${LINES_MAX} lines.`,
});
