/** Promise: a mail has its intended text and no markup of its recipient; without a mail server it is a file. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openMail, openSender, sendBilling } from "../../src/identity/mail.ts";
import type { Letter } from "../../src/identity/mail-outbox.ts";
import { openLog } from "../../src/log/log.ts";
import { openPostbox } from "../api/management/smtp.ts";
import { heldClock } from "../harness.ts";
import { until } from "../until.ts";

let root: string;
let folder: string;
let logged: { event: string; [field: string]: unknown }[];
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "loquat-mail-"));
  folder = join(root, "mail");
  logged = [];
});
afterEach(() => rmSync(root, { recursive: true }));

/** Letters go to the sender at once, and what it says is the state. */
function open(smtp: string | null = null) {
  const deliver = openSender({
    config: { smtp: smtp === null ? null : () => smtp, from: "Loquat <mail@example.org>" },
    ...{ folder, clock: heldClock() },
    log: openLog("debug", (line) => logged.push(JSON.parse(line))),
  });
  const origin = () => "https://voice.example.com";
  const post = async (letter: Letter) => ({
    sent: deliver(letter).then(
      () => "sent" as const,
      () => "failed" as const,
    ),
  });
  return {
    ...openMail({ origin, outbox: { post } }),
    billing: (to: string, letter: typeof LETTER) => sendBilling({ deliver, origin }, to, letter),
  };
}

const loggedEvent = (event: RegExp) => until(() => logged.find((each) => event.test(each.event)));

test("without a mail server, the message is a file that only its owner can read, named in the log", async () => {
  await open().verify("ann@example.com", "a.token");
  const { file } = (await loggedEvent(/written/)) as unknown as { file: string };
  expect(readdirSync(folder).map((name) => join(folder, name))).toEqual([file]);
  expect([folder, file].map((path) => (statSync(path).mode & 0o777).toString(8))).toEqual(["700", "600"]);
  expect(readFileSync(file, "utf8")).toMatch(
    /^To: ann@example\.com\nSubject: Verify.*\n\n[\s\S]*\nhttps:\/\/voice\.example\.com\/verify\?token=a\.token\n$/,
  );
  expect(JSON.stringify(logged)).not.toMatch(/ann@|a\.token/);
});

test("a message file is deleted when no link in it works any more", async () => {
  await open().verify("ann@example.com", "a.token");
  const { file } = (await loggedEvent(/written/)) as unknown as { file: string };
  const [old, young] = ["old.txt", "young.txt"].map((name) => join(folder, name)) as [string, string];
  for (const [path, days] of [
    [old, 31],
    [young, 29],
  ] as const) {
    writeFileSync(path, "");
    const seconds = heldClock().now() / 1000 - days * 86_400;
    utimesSync(path, seconds, seconds);
  }
  await open().verify("ann@example.com", "a.token");
  await until(() => !existsSync(old));
  expect([existsSync(young), existsSync(file)]).toEqual([true, true]);
});

test("a mail server gets the message in text, and in HTML that loads nothing", async () => {
  await using post = await openPostbox();
  await open(post.url).invite("bob@example.com", {
    ...{ id: "inv_1", inviter: "ann@example.com" },
    organization: 'You won $1000!\r\nBcc: eve@example.com <img src="https://evil.example/x.png">',
  });
  const { text, whole, subject } = await post.take("bob@example.com");
  expect(subject).toBe("You are invited to an organization");
  expect(text).toContain("https://voice.example.com/invitation?id=inv_1");
  const html = whole.slice(whole.indexOf("<!doctype"));
  const expected = "organization &quot;You won 1000 Bcc eve example com img src https evil&quot; on Loquat.";
  expect(html).toContain(`<p>ann@example.com invites you to the ${expected}`);
  expect(whole).not.toMatch(/evil\.|:\/\/evil|eve@/);
  expect(html).not.toMatch(/<img|<link|<script|src=(?!&quot;)/);
  expect(whole).not.toMatch(/^Bcc:/im);
  expect(post.received).toEqual([]);
});

const LETTER = {
  organization: { id: "org_1", name: "Acme <https://evil.example>" },
  confirm: null as string | null,
  ...{ subject: "Auto-recharge was switched off", lines: ["A payment was disputed."] },
};

test("owners are told of their organization, with a link to its billing page", async () => {
  await using post = await openPostbox();
  await open(post.url).billing("ann@example.com", LETTER);
  const { text, whole } = await post.take("ann@example.com");
  expect(whole).toContain("Subject: Auto-recharge was switched off");
  expect(text).toContain("A payment was disputed.");
  expect(text).toContain("https://voice.example.com/orgs/org_1/billing");
  expect(whole).not.toContain("evil.example");
});

test("the sender of a mail of billing learns that the mail server did not take it", async () => {
  await expect(open("smtp://127.0.0.1:1").billing("ann@example.com", LETTER)).rejects.toMatchObject({
    code: "ESOCKET",
  });
});

test("an address that the mail server refuses for good is told to the sender of a mail of billing", async () => {
  await using post = await openPostbox("gone@example.com");
  const mail = open(post.url);
  expect(await mail.billing("gone@example.com", LETTER)).toBe("refused");
  expect(await mail.billing("ann@example.com", LETTER)).toBe("sent");
});

test("where the card must be confirmed, the button leads there, and the billing page is named", async () => {
  await using post = await openPostbox();
  const confirm = "https://checkout.example.com/c/pay/cs_1";
  await open(post.url).billing("ann@example.com", { ...LETTER, confirm });
  const { text } = await post.take("ann@example.com", "Auto-recharge");
  expect(text).toMatch(/Confirm the card:\r?\nhttps:\/\/checkout\.example\.com\/c\/pay\/cs_1/);
  expect(text).toContain("Billing page: https://voice.example.com/orgs/org_1/billing");
});
