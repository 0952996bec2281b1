/** `loquat admin`: the operators of this server, managed from its shell. */

import { type Command, InvalidArgumentError } from "@commander-js/extra-typings";
import type { FirstStart } from "../../accounts/organizations.ts";
import { newPassword } from "../../accounts/secret.ts";
import { openPublicOrigin } from "../../api/middleware/public-origin.ts";
import { secondsOf } from "../../clock.ts";
import { type Config, readConfig } from "../../config/config.ts";
import { openHashing } from "../../identity/password-hashing.ts";
import { isEmail } from "../../identity/routes/email.ts";
import { PASSWORD } from "../../identity/routes/fields.ts";
import { runningServer } from "../../server/lifecycle/running-server.ts";
import { firstStart, type Storage } from "../../server/storage.ts";
import { keepFirstKey, withStorage } from "../base/context.ts";
import { setUpLink } from "../base/greeting.ts";
import { type Column, JSON_OPTION, note, printLine, printList, UsageError } from "../base/output.ts";
import { formatTime } from "../base/values.ts";

const STDIN_OPTION = ["--password-stdin", "read the password from standard input"] as const;

const COLUMNS: Column<Awaited<ReturnType<typeof operators>>[number]>[] = [
  "email",
  { title: "NAME", text: ({ name }) => name, cut: true },
  { title: "VERIFIED", text: ({ email_verified }) => (email_verified ? "yes" : "no") },
  { title: "SINCE", text: ({ created_at }) => formatTime(created_at) },
];

type PasswordOptions = { passwordStdin?: true | undefined; json?: true | undefined };

export function admin(command: Command): void {
  command
    .command("create")
    .description("Make an account an operator; creates the account if there is none")
    .argument("<email>", "the account's e-mail address", emailAddress)
    .option("--name <name>", "a display name (default: the part before the @)")
    .option(...STDIN_OPTION)
    .option(...JSON_OPTION)
    .action((email, { name, ...options }) => create({ email, name: name ?? email.split("@")[0]! }, options));
  command
    .command("link")
    .description("Print a link that creates the first operator and sets the server up, once within 24 hours")
    .option(...JSON_OPTION)
    .action(link);
  command
    .command("list")
    .description("List the operators")
    .option(...JSON_OPTION)
    .action(list);
  command
    .command("revoke")
    .description("Take an operator's rights away; the account remains")
    .argument("<email>", "the operator's e-mail address", emailAddress)
    .option(...JSON_OPTION)
    .action(revoke);
  command
    .command("reset")
    .description("Set a new password, remove the second factor and end every session of the account")
    .argument("<email>", "the account's e-mail address", emailAddress)
    .option(...STDIN_OPTION)
    .option(...JSON_OPTION)
    .action(reset);
}

async function create(account: { email: string; name: string }, options: PasswordOptions): Promise<void> {
  const { email } = account;
  const password = await choosePassword(options);
  const passwordHash = await openHashing().hash(password.text);
  const work = async (storage: Storage) => {
    const config = readConfig();
    const first = await firstStart(storage, config.plan);
    if (first) noteFirstKey(first, config);
    const { isNew } = await storage.accounts.makeOperator({ ...account, passwordHash });
    if (isNew) return printPassword(email, password, options);
    printLine(
      options.json ? JSON.stringify({ email }) : `${email} is now an operator; the password is unchanged.`,
    );
  };
  await withStorage(work, { create: true });
}

function noteFirstKey(first: FirstStart, config: Config): void {
  const { path, replaced } = keepFirstKey(first, config);
  if (replaced) note(`The database was empty; the key of an earlier one is kept in ${replaced}.`);
  note(`Your first API key, also stored in ${path}: ${first.key.secret}`);
}

async function link({ json }: { json?: true | undefined }): Promise<void> {
  const config = readConfig();
  const work = async (storage: Storage) => {
    const first = await firstStart(storage, config.plan);
    if (first) noteFirstKey(first, config);
    const secret = await storage.accounts.newSetUpSecret();
    if (secret === null)
      throw new UsageError(
        'This server has an operator. Create another with "loquat admin create", or set a password with "loquat admin reset".',
      );
    const running = config.http.url === null ? runningServer(config.data.folder) : null;
    const url = setUpLink(running?.origin ?? openPublicOrigin(config.http).origin(), secret);
    printLine(json ? JSON.stringify({ url }) : url);
  };
  await withStorage(work, { create: true });
}

async function list({ json }: { json?: true | undefined }): Promise<void> {
  printList(await operators(), { columns: COLUMNS, json });
}

async function operators() {
  const accounts = await withStorage(({ accounts }) => accounts.operators());
  return accounts.map(({ id, email, name, emailVerified, createdAt }) => ({
    ...{ id, object: "user", email, name, email_verified: emailVerified },
    created_at: secondsOf(createdAt),
  }));
}

async function revoke(email: string, { json }: { json?: true | undefined }): Promise<void> {
  const isRevoked = await withStorage(({ accounts }) => accounts.revokeOperator(email));
  if (!isRevoked) throw new UsageError(`There is no operator ${email}.`);
  printLine(json ? JSON.stringify({ email }) : `${email} is no longer an operator.`);
}

async function reset(email: string, options: PasswordOptions): Promise<void> {
  const password = await choosePassword(options);
  await withStorage(async ({ accounts }) => {
    if (!(await accounts.setPassword(email, await openHashing().hash(password.text))))
      throw new UsageError(`There is no account ${email}.`);
  });
  printPassword(email, password, options);
}

function emailAddress(text: string): string {
  if (!isEmail(text)) throw new InvalidArgumentError("Expected an e-mail address.");
  return text;
}

type Password = { text: string; isGenerated: boolean };

async function choosePassword({ passwordStdin }: PasswordOptions): Promise<Password> {
  if (!passwordStdin) return { text: newPassword(), isGenerated: true };
  const text = (await Bun.stdin.text()).replace(/\r?\n$/, "");
  if (text.length < PASSWORD.min || text.length > PASSWORD.max)
    throw new UsageError(`A password has ${PASSWORD.min} to ${PASSWORD.max} characters.`);
  return { text, isGenerated: false };
}

/** A password that came from standard input is not printed. */
function printPassword(email: string, { text, isGenerated }: Password, { json }: PasswordOptions): void {
  if (json) printLine(JSON.stringify(isGenerated ? { email, password: text } : { email }));
  else if (isGenerated) {
    printLine(text);
    note(`The password of ${email}. It is shown once; store it now.`);
  } else printLine(`${email} can sign in.`);
}
