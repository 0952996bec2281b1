/** `loquat admin create|list|revoke|reset`: who runs this server, for whoever has its shell. A password is shown once. */
import { parseArgs } from "node:util";
import { newPassword } from "../accounts/secret.ts";
import { readConfig } from "../config.ts";
import { isEmail } from "../identity/email.ts";
import { PASSWORD } from "../identity/offered-routes.ts";
import { openHashing } from "../identity/password-hashing.ts";
import { firstStart, type Storage } from "../server/storage.ts";
import { keepFirstKey, withStorage } from "./context.ts";
import { printLine, printList, UsageError } from "./output.ts";

const OPTIONS = {
  name: { type: "string" },
  "password-stdin": { type: "boolean", default: false },
  json: { type: "boolean", default: false },
} as const;

const COLUMNS = ["id", "email", "name", "email_verified", "created_at"];

type Values = { name?: string; "password-stdin": boolean; json: boolean };

export async function admin(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true });
  const [verb, email, ...rest] = positionals;
  const run = Object.hasOwn(VERBS, verb ?? "") ? VERBS[verb!] : undefined;
  const isList = verb === "list" && !email;
  if ((!run || !email || rest.length > 0) && !isList)
    throw new UsageError("admin takes create EMAIL, list, revoke EMAIL or reset EMAIL.");
  if (email && !isEmail(email)) throw new UsageError(`${email} is no e-mail address.`);
  await withStorage((storage) => (run && email ? run(storage, email, values) : list(storage, values)));
}

const VERBS: Record<string, (storage: Storage, email: string, values: Values) => Promise<void>> = {
  async create(storage, email, values) {
    const password = await choosePassword(values);
    const first = await firstStart(storage);
    if (first) process.stderr.write(`${keepFirstKey(first, readConfig())}\n`);
    const { isNew } = await storage.accounts.makeOperator({
      email,
      name: values.name ?? email.split("@")[0]!,
      passwordHash: await openHashing().hash(password.text),
    });
    if (isNew) return printPassword(email, password, values);
    printLine(
      values.json ? JSON.stringify({ email }) : `${email} is an operator, with the password they have.`,
    );
  },
  async revoke({ accounts }, email, { json }) {
    if (!(await accounts.revokeOperator(email))) throw new UsageError(`There is no operator ${email}.`);
    printLine(json ? JSON.stringify({ email }) : `${email} is no operator any more.`);
  },
  async reset({ accounts }, email, values) {
    const password = await choosePassword(values);
    if (!(await accounts.setPassword(email, await openHashing().hash(password.text))))
      throw new UsageError(`There is no account of ${email}.`);
    printPassword(email, password, values);
  },
};

async function list({ accounts }: Storage, { json }: Values): Promise<void> {
  const rows = (await accounts.operators()).map(({ id, email, name, emailVerified, createdAt }) => ({
    ...{ id, object: "user", email, name, email_verified: emailVerified },
    created_at: Math.floor(createdAt.getTime() / 1000),
  }));
  printList(rows, COLUMNS, json);
}

type Password = { text: string; isMade: boolean };

async function choosePassword(values: Values): Promise<Password> {
  if (!values["password-stdin"]) return { text: newPassword(), isMade: true };
  const text = (await Bun.stdin.text()).replace(/\r?\n$/, "");
  if (text.length < PASSWORD.min || text.length > PASSWORD.max)
    throw new UsageError(`A password has ${PASSWORD.min} to ${PASSWORD.max} characters.`);
  return { text, isMade: false };
}

/** One that was given is not shown. */
function printPassword(email: string, { text, isMade }: Password, { json }: Values): void {
  const told = isMade ? { email, password: text } : { email };
  const shown = isMade
    ? `${text}\nThe password of ${email}: shown once, keep it safe.`
    : `${email} can sign in.`;
  printLine(json ? JSON.stringify(told) : shown);
}
