/**
 * Mail, sent with nodemailer. Requests wait until that of accounts is kept, and never until it is sent, so that their timing
 * does not reveal whether an address is known.
 *
 * Without an SMTP server, each message is written to a file for the operator.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { SendMailOptions } from "nodemailer";
import type { Clock } from "../clock.ts";
import type { IdentityConfig, Secret } from "../config/config.ts";
import { plainName } from "../display-name.ts";
import { newId } from "../ids.ts";
import type { Log } from "../log/log.ts";
import { LINK_SECONDS } from "./links.ts";
import { isRefused, type Letter, type MailOutbox, type MailState } from "./mail-outbox.ts";

const TIMEOUT_MS = 10_000;
const SWEEP_EVERY_MS = 3_600_000;
const KEPT_MS = 30 * 86_400_000;

/** Every kind of mail of accounts. Resolves once it is kept to be sent. */
export type Mail = {
  verify(to: string, token: string): Promise<void>;
  /** To an address that signed up again. */
  known(to: string): Promise<void>;
  reset(to: string, token: string): Promise<void>;
  /** Tells what becomes of the first attempt. */
  invite(to: string, invitation: Invitation): Promise<{ sent: Promise<MailState> }>;
};

type Invitation = { id: string; organization: string; inviter: string };

/** `confirm`: the address of a page that confirms the card, which its button then leads to. */
type BillingLetter = { organization: { id: string; name: string }; confirm: string | null } & Pick<
  Letter,
  "subject" | "lines"
>;

/** Links use the configured origin, never that of a request. */
type Links = { origin: () => string };

type SenderDeps = {
  config: Pick<IdentityConfig, "smtp" | "from">;
  folder: string;
  clock: Clock;
  log: Log;
};

const DAY_SECONDS = 86_400;
export const RESET_SECONDS = 3600;
export const INVITATION_SECONDS = 7 * DAY_SECONDS;

const VERIFY = {
  subject: "Verify your e-mail address",
  lines: [
    "A Loquat account was created with this address. If it was you, verify the address within 24 hours, using the password that you chose.",
    "If it was not you, ignore this message: without this link the account cannot be used.",
  ],
  button: "Verify the address",
};
const KNOWN = {
  subject: "You already have an account",
  lines: [
    "Someone tried to create a Loquat account with this address, which already has one.",
    "If it was you, sign in. If you forgot your password, you can reset it there.",
  ],
  button: "Sign in",
};
const RESET = {
  subject: "Reset your password",
  lines: [
    "A password reset was requested for the Loquat account with this address.",
    "If it was you, choose a new password within an hour. All sessions of the account will be signed out.",
    "If it was not you, ignore this message.",
  ],
  button: "Reset your password",
};

/** Mail contains no text chosen by strangers, except an organization's name in an invitation, reduced to plain words. */
export function openMail({ outbox, origin }: Links & { outbox: Pick<MailOutbox, "post"> }): Mail {
  const post = async (letter: Letter, seconds: number) => void (await outbox.post(letter, seconds));
  return {
    verify: (to, token) => post({ to, ...VERIFY, link: linkTo(origin(), "verify", { token }) }, LINK_SECONDS),
    known: (to) => post({ to, ...KNOWN, link: linkTo(origin(), "sign-in") }, DAY_SECONDS),
    reset: (to, token) => post({ to, ...RESET, link: linkTo(origin(), "reset", { token }) }, RESET_SECONDS),
    invite: (to, { id, organization, inviter }) =>
      outbox.post(
        {
          to,
          subject: "You are invited to an organization",
          lines: [
            `${inviter} invites you to the organization "${plainName(organization)}" on Loquat. The invitation is valid for 7 days.`,
            "If you do not know them, ignore this message.",
          ],
          button: "View invitation",
          link: linkTo(origin(), "invitation", { id }),
        },
        INVITATION_SECONDS,
      ),
  };
}

/** A mail of billing to an owner. "refused": the mail server will never take it. Rejects if it does not take it now. */
export async function sendBilling(
  { deliver, origin }: Links & { deliver: Deliver },
  to: string,
  { organization: { id, name }, subject, lines, confirm }: BillingLetter,
): Promise<"sent" | "refused"> {
  const billing = linkTo(origin(), `orgs/${id}/billing`);
  const target = confirm
    ? { button: "Confirm the card", link: confirm }
    : { button: "See billing", link: billing };
  const more = confirm ? [`Billing page: ${billing}`] : [];
  const about = [...lines, `Organization: ${plainName(name)}`, ...more];
  return sentOrRefused(deliver({ to, subject, ...target, lines: about }));
}

type AlertLetter = {
  organization: { id: string; name: string };
  page: "usage" | "billing" | "settings" | "answer";
  token?: string;
} & Pick<Letter, "subject" | "lines">;

const ALERT_BUTTONS = {
  ...{ usage: "See usage", billing: "See billing", settings: "See settings" },
  answer: "Say whether you want these mails",
};

/** A mail of an alert, or of a deletion, as `sendBilling`. `token`: of who is no member. */
export async function sendAlert(
  { deliver, origin }: Links & { deliver: Deliver },
  to: string,
  { organization: { id, name }, page, token, subject, lines }: AlertLetter,
): Promise<"sent" | "refused"> {
  const link =
    token === undefined
      ? linkTo(origin(), `orgs/${id}/${page}`)
      : linkTo(origin(), "mail-of-alerts", { token });
  const target = { button: ALERT_BUTTONS[page], link };
  return sentOrRefused(
    deliver({ to, subject, ...target, lines: [...lines, `Organization: ${plainName(name)}`] }),
  );
}

async function sentOrRefused(delivery: Promise<void>): Promise<"sent" | "refused"> {
  try {
    await delivery;
    return "sent";
  } catch (error) {
    if (isRefused(error as Error)) return "refused";
    throw error;
  }
}

/** The address of a page of the dashboard. */
export function linkTo(origin: string, page: string, query: Record<string, string> = {}): string {
  const search = new URLSearchParams(query).toString();
  return `${origin}/${page}${search && `?${search}`}`;
}

export type Deliver = (letter: Letter) => Promise<void>;

/** Its errors are those of the mail server. */
export function openSender({ config: { smtp, from }, ...deps }: SenderDeps): Deliver {
  const send = smtp ? bySmtp(smtp) : toFolder(deps);
  return async (letter) => void (await send(messageOf(letter, from)));
}

type Send = (message: Message) => Promise<unknown>;

function bySmtp(smtp: Secret): Send {
  let transport: ReturnType<typeof openTransport> | null = null;
  return async (message) => {
    transport ??= openTransport(smtp());
    return (await transport).sendMail(message);
  };
}

/** Loads nodemailer, which servers without mail never do. */
async function openTransport(url: string) {
  const { createTransport } = await import("nodemailer");
  return createTransport({
    url,
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    dnsTimeout: TIMEOUT_MS,
  });
}

/** As plain text: the encoding of a mail file would break the link in two. */
function toFolder({ folder, clock, log }: Pick<SenderDeps, "folder" | "clock" | "log">): Send {
  let sweptMs = Number.NEGATIVE_INFINITY;
  return async ({ to, subject, text }) => {
    const file = join(folder, `${newId("mail", clock)}.txt`);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(file, `To: ${to.address}\nSubject: ${subject}\n\n${text}`, { mode: 0o600 });
    log.info("mail_written_to_file", { file }); // no SMTP_URL is set
    if (clock.now() - sweptMs < SWEEP_EVERY_MS) return;
    sweptMs = clock.now();
    await sweepFolder(folder, sweptMs - KEPT_MS);
  };
}

/** Mail whose links have expired. */
async function sweepFolder(folder: string, beforeMs: number): Promise<void> {
  for (const name of await readdir(folder)) {
    const file = join(folder, name);
    if ((await stat(file)).mtimeMs < beforeMs) await rm(file);
  }
}

type Message = ReturnType<typeof messageOf>;

function messageOf({ to, subject, lines, button, link }: Letter, from: string) {
  const paragraphs = lines.map((line) => `<p>${escaped(line)}</p>`).join("\n");
  return {
    from,
    to: { name: "", address: to }, // as one address: a name in it could be read as several
    subject,
    text: `${lines.join("\n\n")}\n\n${button}:\n${link}\n`,
    html: `<!doctype html>\n<html lang="en"><body style="font-family: sans-serif; line-height: 1.5">\n${paragraphs}\n<p><a href="${escaped(link)}">${escaped(button)}</a></p>\n<p><small>${escaped(link)}</small></p>\n</body></html>\n`,
    disableFileAccess: true,
    disableUrlAccess: true,
  } satisfies SendMailOptions;
}

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escaped = (text: string) => text.replace(/[&<>"]/g, (character) => ENTITIES[character]!);
