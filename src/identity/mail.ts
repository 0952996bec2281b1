/**
 * Account mail, sent with nodemailer. Requests never wait for it, so that their timing does not reveal whether an
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
const KEPT_MS = 30 * 86_400_000;

/** A message. `link`: the target of its button. */
type Letter = { to: string; subject: string; lines: string[]; button: string; link: string };

/** Every kind of mail. Sending returns at once and never throws. */
export type Mail = {
  verify(to: string, token: string): void;
  /** To an address that signed up again. */
  known(to: string): void;
  reset(to: string, token: string): void;
  invite(to: string, invitation: { id: string; organization: string; inviter: string }): void;
  /** To an owner whose organization's auto-recharge was switched off. */
  rechargeStopped(to: string, stopped: { organizationId: string; why: "refunded" | "disputed" }): void;
};

type MailDeps = {
  config: Pick<IdentityConfig, "smtp" | "from">;
  folder: string;
  /** Links use the configured origin, never that of a request. */
  origin: () => string;
  clock: Clock;
  log: Log;
};

/** Mail contains no text chosen by strangers, except an organization's name in an invitation, reduced to plain words. */
export function openMail(deps: MailDeps): Mail {
  const send = sender(deps);
  const link = (page: string, query: Record<string, string> = {}) => {
    const search = new URLSearchParams(query).toString();
    return `${deps.origin()}/${page}${search && `?${search}`}`;
  };
  return {
    verify: (to, token) =>
      send({
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
      send({
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
      send({
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
    ...billingLetters(send, link),
  };
}

const NAME_MAX = 60;

/** Text that no mail program turns into a link. */
const plain = (name: string): string =>
  name
    .slice(0, NAME_MAX)
    .replace(/[^\p{L}\p{M}\p{N}&'()-]+/gu, " ")
    .trim();

type Link = (page: string) => string;

const billingLetters = (send: (letter: Letter) => void, link: Link): Pick<Mail, "rechargeStopped"> => ({
  rechargeStopped: (to, { organizationId, why }) =>
    send({
      to,
      subject: "Auto-recharge was switched off",
      lines: [
        `A payment of your organization was ${why}, and its credit was taken back.`,
        "Auto-recharge was switched off so that the card is not charged again. It stays off until an owner switches it on.",
      ],
      button: "See billing",
      link: link(`orgs/${organizationId}/billing`),
    }),
});

function sender({ config: { smtp, from }, ...deps }: MailDeps): (letter: Letter) => void {
  const deliver = smtp ? bySmtp(smtp) : toFolder(deps);
  return (letter) => {
    deliver(messageOf(letter, from)).catch((error: Error & { code?: string; responseCode?: number }) => {
      const { code = null, responseCode = null } = error;
      deps.log.error("mail_failed", { reason: code, response: responseCode });
    });
  };
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
