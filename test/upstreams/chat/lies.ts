/** Answers of a language model's server that hold more than any question can have, one of each kind. */

const data = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;

export const sse = { data, done: "data: [DONE]\n\n" };

export const delta = (fields: object): string => data({ choices: [{ delta: fields }] });

/** So many calls, each with these arguments. */
export const callsOf = (count: number, given: string, name = "weather"): string =>
  Array.from({ length: count }, (_, index) =>
    delta({ tool_calls: [{ index, id: `call_${index}`, function: { name, arguments: given } }] }),
  ).join("");

const SSE = "text/event-stream";
const JSON_TYPE = "application/json";
const deep = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
const whole = (content: string) => JSON.stringify({ choices: [{ message: { content } }] });

/** Said by the server of itself. */
export const INTERNALS = "The key sk-123 has no memory left.";

/** What it has, its bytes, and their type. */
export const LIES: [what: string, answer: string, type: string][] = [
  ["an error of its own", data({ error: { message: INTERNALS } }), SSE],
  ["a part of 600 KB", delta({ content: "a".repeat(600_000) }) + sse.done, SSE],
  ["a part without an end", `data: ${"x".repeat(600_000)}`, SSE],
  ["a part that is nested 100,000 deep", `data: ${deep(100_000)}\n\n${sse.done}`, SSE],
  ["a part of 100,000 values", `data: [${"0,".repeat(100_000)}0]\n\n${sse.done}`, SSE],
  ["a text of 100,000 characters", delta({ content: "word ".repeat(250) }).repeat(80) + sse.done, SSE],
  ["clauses without a word", delta({ content: ", ! ".repeat(250) }).repeat(80) + sse.done, SSE],
  ["thinking without an end", delta({ reasoning_content: "hm ".repeat(5000) }).repeat(40) + sse.done, SSE],
  ["thinking in marks without an end", delta({ content: "<think>".repeat(2000) }).repeat(40) + sse.done, SSE],
  ["comments without an end", ": waiting\n".repeat(900_000), SSE],
  ["parts without meaning, without an end", "data: {}\n".repeat(1_000_000), SSE],
  ["arguments of 512 KB in 64 calls", callsOf(64, "x".repeat(8192)) + sse.done, SSE],
  ["arguments that are nested 5,000 deep", callsOf(1, deep(5000)) + sse.done, SSE],
  ["100 calls", callsOf(100, "{}") + sse.done, SSE],
  ["a function's name of 200 letters", callsOf(1, "{}", "a".repeat(200)) + sse.done, SSE],
  ["an object of 2 MB", whole("word ".repeat(400_000)), JSON_TYPE],
  ["an object with a text of 100,000 characters", whole("word ".repeat(20_000)), JSON_TYPE],
  ["an object that is nested 100,000 deep", `{"choices":${deep(100_000)}}`, JSON_TYPE],
];
