/**
 * Mail, sent with nodemailer. Requests never wait for that of accounts, so that their timing does not reveal whether an
 * address is known.
 *
 * Without an SMTP server, each message is written to a file for the operator.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { createTransport, type SendMailOptions } from "nodemailer";
import type { Clock } from "../clock.ts";
import type { IdentityConfig, Secret } from "../config.ts";
import { newId } from "../ids.ts";
import type { Log } from "../log.ts";

const TIMEOUT_MS = 10_000;
const SWEEP_EVERY_MS = 3_600_000;
const RETRY_AFTER_MS = [60_000, 300_000, 900_000];
const KEPT_MS = 30 * 86_400_000;

/** A message. `link`: the target of its button. */
type Letter = { to: string; subject: string; lines: string[]; button: string; link: string };

/** Every kind of mail. That of accounts is sent in the background and never throws. */
export type Mail = {
  verify(to: string, token: string): void;
  /** To an address that signed up again. */
  known(to: string): void;
  reset(to: string, token: string): void;
  /** Tells what became of the first attempt. */
  invite(to: string, invitation: { id: string; organization: string; inviter: string }): Promise<MailState>;
  /** To an owner. Rejects if the mail server does not take it now; "refused" if it never will. */
  billing(to: string, letter: BillingLetter): Promise<"sent" | "refused">;
};

/** "waiting": it is tried again. "failed": it is not. "refused": the mail server does not take mail to this address. */
export type MailState = "sent" | "waiting" | "failed" | "refused";

type BillingLetter = { organization: { id: string; name: string } } & Pick<Letter, "subject" | "lines">;

type MailDeps = {
  config: Pick<IdentityConfig, "smtp" | "from">;
  folder: string;
  /** Links use the configured origin, never that of a request. */
  origin: () => string;
  clock: Clock;
  log: Log;
  /** The pauses before further attempts at mail of accounts. */
  retryAfterMs?: number[];
};

/** Mail contains no text chosen by strangers, except an organization's name in an invitation, reduced to plain words. */
export function openMail(deps: MailDeps): Mail {
  const deliver = sender(deps);
  const send = inBackground(deliver, deps);
  const link = (page: string, query: Record<string, string> = {}) => {
    const search = new URLSearchParams(query).toString();
    return `${deps.origin()}/${page}${search && `?${search}`}`;
  };
  return {
    verify: (to, token) =>
      void send({
        to,
        subject: "Verify your e-mail address",
        lines: [
          "A Loquat account was created with this address. If it was you, verify the address within 24 hours, using the password that you chose.",
          "If it was not you, ignore this message: without this link the account cannot be used.",
        ],
        button: "Verify the address",
        link: link("verify", { token }),
      }),
    known: (to) =>
      void send({
        to,
        subject: "You already have an account",
        lines: [
          "Someone tried to create a Loquat account with this address, which already has one.",
          "If it was you, sign in. If you forgot your password, you can reset it there.",
        ],
        button: "Sign in",
        link: link("sign-in"),
      }),
    reset: (to, token) =>
      void send({
        to,
        subject: "Reset your password",
        lines: [
          "A password reset was requested for the Loquat account with this address.",
          "If it was you, choose a new password within an hour. All sessions of the account will be signed out.",
          "If it was not you, ignore this message.",
        ],
        button: "Reset your password",
        link: link("reset", { token }),
      }),
    invite: (to, { id, organization, inviter }) =>
      send({
        to,
        subject: "You are invited to an organization",
        lines: [
          `${inviter} invites you to the organization "${plain(organization)}" on Loquat. The invitation is valid for 7 days.`,
          "If you do not know them, ignore this message.",
        ],
        button: "View invitation",
        link: link("invitation", { id }),
      }),
    billing: (to, { organization: { id, name }, subject, lines }) =>
      sentOrRefused(deliver, {
        ...{ to, subject, button: "See billing", link: link(`orgs/${id}/billing`) },
        lines: [...lines, `Organization: ${plain(name)}`],
      }),
  };
}

const NAME_MAX = 60;

/** Text that no mail program turns into a link. */
const plain = (name: string): string =>
  name
    .slice(0, NAME_MAX)
    .replace(/[^\p{L}\p{M}\p{N}&'()-]+/gu, " ")
    .trim();

type Send = (letter: Letter) => Promise<void>;

/** Its errors are those of the mail server. */
function sender({ config: { smtp, from }, ...deps }: MailDeps): Send {
  const deliver = smtp ? bySmtp(smtp) : toFolder(deps);
  return async (letter) => void (await deliver(messageOf(letter, from)));
}

type MailError = Error & { code?: string; responseCode?: number };

/** Whether the mail server refuses this address, or this mail, for good. A refused sign-in at the server may be mended. */
const isRefused = ({ code, responseCode }: MailError): boolean =>
  (code === "EENVELOPE" || code === "EMESSAGE") && (responseCode ?? 0) >= 500;

const sentOrRefused = (send: Send, letter: Letter): Promise<"sent" | "refused"> =>
  send(letter).then(
    () => "sent",
    (error: MailError) => {
      if (isRefused(error)) return "refused";
      throw error;
    },
  );

/** Tried again for a while: servers may be away, or refuse the first attempt of a sender that they do not know. */
function inBackground(
  send: Send,
  { log, retryAfterMs = RETRY_AFTER_MS }: MailDeps,
): (letter: Letter) => Promise<MailState> {
  const attempt = (letter: Letter, [pauseMs, ...pausesMs]: number[]): Promise<MailState> =>
    send(letter).then(
      () => "sent",
      (error: MailError) => {
        const { code = null, responseCode = null } = error;
        const isFinal = pauseMs === undefined || (responseCode ?? 0) >= 500;
        log.error("mail_failed", { reason: code, response: responseCode, again: !isFinal });
        if (isFinal) return isRefused(error) ? "refused" : "failed";
        setTimeout(() => void attempt(letter, pausesMs), pauseMs).unref();
        return "waiting";
      },
    );
  return (letter) => attempt(letter, retryAfterMs);
}

type Deliver = (message: Message) => Promise<unknown>;

function bySmtp(smtp: Secret): Deliver {
  const transport = createTransport({
    url: smtp(),
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    dnsTimeout: TIMEOUT_MS,
  });
  return (message) => transport.sendMail(message);
}

/** As plain text: the encoding of a mail file would break the link in two. */
function toFolder({ folder, clock, log }: Pick<MailDeps, "folder" | "clock" | "log">): Deliver {
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
