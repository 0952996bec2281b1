/** Names as people and programs write them: hashtags, handles, paths, files, programming languages. */
import { sayMarks } from "../lexicon/address-words.ts";
import type { Rule } from "../lexicon/rule.ts";

/** Endings of file names that are spelled, and those that are words. */
const SPELLED =
  "avif|bmp|c|cc|cpp|cs|csv|css|db|dll|doc|docx|exe|gif|go|gz|h|htm|html|ico|jpeg|jpg|js|jsx|kt|md|mdx|mjs|mkv|mov|mp3|mp4|ogg|onnx|pdf|php|png|ppt|pptx|ps1|py|rb|rs|rtf|sh|sql|srt|svg|ts|tsv|tsx|ttf|txt|vtt|wasm|wav|webm|webp|xls|xlsx|xml|yml|zsh";
const WORDS = "bash|bat|conf|docker|env|ini|java|json|jsonl|lock|log|sqlite|swift|tar|toml|vue|yaml|zip";
const FILE = `[\\w-]{1,60}(?:\\.[\\w-]{1,30}){0,3}\\.(?:${SPELLED}|${WORDS})(?![\\w/-]|\\.\\w)`;

const isSpelled = new Set(SPELLED.split("|"));

/** "src/app.ts" -> "src slash app dot TS". */
function readPath(path: string): string {
  const ending = /\.(\w{1,10})$/.exec(path)?.[1];
  const readable =
    ending && isSpelled.has(ending) ? path.slice(0, -ending.length) + ending.toUpperCase() : path;
  return sayMarks(
    readable.replaceAll("~", "tilde ").replaceAll("\\", " backslash ").replace(/\/$/, ""),
    "en",
  );
}

/** "ThrowbackThursday" -> "Throwback Thursday". */
const splitCamel = (text: string) => text.replace(/(?<=[a-z\d])(?=[A-Z])|_{1,9}/g, " ");

export const ONLINE: Rule[] = [
  {
    name: "programming language",
    what: "The sign in C#, F# and C++ is a word; .NET begins with a dot.",
    example: ["C#, C++17, ASP.NET", "C sharp, C plus plus 17, ASP dot NET"],
    pattern: /\b([CFJAGD])#(?!\w)|\b([CcGg])\+\+|(?:(?<=\w)|(?<!\S))\.NET\b/g,
    read: ([text, sharp, plus]) =>
      sharp ? `${sharp} sharp` : plus ? `${plus} plus plus ` : text === ".NET" ? " dot NET" : text,
  },
  {
    name: "Windows path",
    what: "A drive with a backslash begins a path, which is read mark by mark.",
    example: ["C:\\Temp\\a.txt", "C colon backslash Temp backslash a dot TXT"],
    pattern: /\b[A-Za-z]:\\[\w.\\-]{0,200}\w/g,
    read: ([path]) => readPath(path),
  },
  {
    name: "path",
    what: "A slash, or ~, . or .. and a slash, before a name begins a path.",
    example: ["in /usr/lib and ~/docs", "in slash usr slash lib and tilde slash docs"],
    pattern:
      /(?<![\w.:/<)\]])(?:~|\.{1,2})?\/(?!or\b|\/)[\w@-][\w.@+-]{0,60}(?:\/[\w.@+-]{1,60}){0,20}(?<!\.)\/?/g,
    read: ([path]) => readPath(path),
  },
  {
    name: "file",
    what: "A name with the ending of a file, and the folders before it, are read mark by mark.",
    example: ["src/app.ts, notes.pdf", "src slash app dot TS, notes dot PDF"],
    pattern: new RegExp(`(?<![\\w./@-])(?:[\\w-]{1,40}/){0,12}${FILE}`, "g"),
    read: ([path]) => readPath(path),
  },
  {
    name: "package name",
    what: "A handle with a slash is the name of a package.",
    example: ["@types/node", "at types slash node"],
    pattern: /(?<![\w.])@[\w-]{1,40}\/[\w-]{1,40}(?![\w/])/g,
    read: ([name]) => sayMarks(name, "en"),
  },
  {
    name: "handle",
    what: 'The sign before a name is "at".',
    example: ["ask @jane_doe", "ask at jane underscore doe"],
    pattern: /(?<![\w.])@(\w{1,40})/g,
    read: ([, name]) => `at ${name!.replace(/_{1,9}/g, " underscore ")}`,
  },
  {
    name: "hashtag",
    what: 'A number sign before a word is "hashtag", and the words inside come apart at capitals.',
    example: ["#OpenAI #throwbackThursday", "hashtag Open AI hashtag throwback Thursday"],
    pattern: /(?<![\w&#/])#(?=[^\W\d_])(\w{1,60})/g,
    read: ([, tag]) => `hashtag ${splitCamel(tag!).trim()}`,
  },
  {
    name: "option",
    what: "Hyphens before a word are those of an option of a command.",
    example: ["loquat --help -v", "loquat dash dash help dash v"],
    pattern: /(?<!\S)(?:(--)(?=[A-Za-z][a-z-]{1,40}(?![\w']))|-(?=[A-Za-z](?![\w'-])))/g,
    read: ([, long]) => (long ? "dash dash " : "dash "),
  },
  {
    name: "operator",
    what: "The operators of programs are read by what they mean.",
    example: ["a != b && c >= d", "a is not equal to b and c is greater than or equal to d"],
    pattern: / ?(===?|!==?|<=|>=|&&|\|\||=>|->|→|⇒|←|↔) ?/g,
    read: ([, sign]) => ` ${OPERATORS[sign!]} `,
  },
];

const OPERATORS: Record<string, string> = {
  "==": "equals",
  "===": "equals",
  "!=": "is not equal to",
  "!==": "is not equal to",
  "<=": "is less than or equal to",
  ">=": "is greater than or equal to",
  "&&": "and",
  "||": "or",
  "=>": "to",
  "->": "to",
  "→": "to",
  "⇒": "to",
  "←": "from",
  "↔": "to",
};
