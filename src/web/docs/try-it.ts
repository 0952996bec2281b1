/**
 * Sends the call of an operation from its page, and fills the key of its curl command in: with a test key of the person who is
 * signed in to the dashboard, which stays in memory. Only calls that change nothing have it.
 */
import type { Reply } from "../api/server.ts";

type Session = Reply<"GET /api/session">;
type Projects = Reply<"GET /api/organizations/:organization/projects">;
type TestKey = Reply<"POST /api/projects/:project/playground-key">;
/** As the page of an operation has it. */
type Call = { method: string; path: string; body: string | null };

/** The path below which the server lies. */
const base = (): string =>
  new URL(document.querySelector<HTMLAnchorElement>(".back")?.href ?? "/", location.href).pathname.replace(
    /\/$/,
    "",
  );

const NOT_SIGNED_IN = "Sign in to the dashboard first: the call is sent with a test key of yours.";

async function read<Answer>(path: string, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(base() + path, init);
  if (response.status === 401) throw new Error(NOT_SIGNED_IN);
  if (!response.ok) throw new Error(`The test key could not be made: status ${response.status}.`);
  return response.json();
}

let made: Promise<string> | null = null;

/** Made once for this page; pages of the playground are told, because an earlier secret ends with it. */
function testKey(): Promise<string> {
  made ??= makeKey();
  made.catch(() => {
    made = null;
  });
  return made;
}

async function makeKey(): Promise<string> {
  const { user, organizations, csrf_token } = await read<Session>("/api/session");
  const [organization] = organizations;
  if (!organization) throw new Error("You are not a member of an organization yet.");
  const { data } = await read<Projects>(`/api/organizations/${organization.id}/projects`);
  const project = data.find(({ status }) => status === "active");
  if (!project) throw new Error("The organization has no active project.");
  const key = await read<TestKey>(`/api/projects/${project.id}/playground-key`, {
    method: "POST",
    headers: { "x-csrf-token": csrf_token },
  });
  const tabs = new BroadcastChannel("loquat-test-key");
  tabs.postMessage({ owner: { user: user.id, project: project.id }, key });
  tabs.close();
  return key.secret;
}

const KEY = "$LOQUAT_KEY";

/** The command is run in a shell, where a key of the environment would be empty. */
async function fillIn(): Promise<string> {
  const secret = await testKey();
  for (const code of document.querySelectorAll('.languages [data-language="curl"] code'))
    code.textContent = (code.textContent ?? "").replaceAll(KEY, secret);
  return "The curl command has a test key of yours, valid for 12 hours.";
}

async function send({ method, path }: Call, body: string | null, result: HTMLElement): Promise<string> {
  const secret = await testKey();
  const begun = performance.now();
  const response = await fetch(base() + path, {
    method,
    body,
    headers: {
      authorization: `Bearer ${secret}`,
      ...(body === null ? {} : { "content-type": "application/json" }),
    },
  });
  const answer = await response.blob();
  const spent = Math.round(performance.now() - begun);
  result.append(
    answer.type.startsWith("audio/") ? playerOf(answer) : preOf(await answer.text(), answer.type),
  );
  return `Status ${response.status}, ${spent} ms, ${answer.type.split(";")[0]}`;
}

function playerOf(sound: Blob): HTMLElement {
  const player = document.createElement("audio");
  player.controls = true;
  player.src = URL.createObjectURL(sound);
  player.ariaLabel = "The answer";
  return player;
}

function preOf(text: string, type: string): HTMLElement {
  const block = document.createElement("pre");
  block.tabIndex = 0;
  const code = document.createElement("code");
  code.textContent = type.includes("json") ? JSON.stringify(JSON.parse(text), null, 2) : text;
  block.append(code);
  return block;
}

function button(text: string, onClick: () => Promise<string>, status: HTMLElement): HTMLButtonElement {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = text;
  made.addEventListener("click", async () => {
    made.disabled = true;
    status.textContent = "…";
    try {
      status.textContent = await onClick();
    } catch (error) {
      status.textContent = error instanceof Error ? error.message : String(error);
    }
    made.disabled = false;
  });
  return made;
}

/** On the page of an operation whose call can be sent. */
export function startTrying(): void {
  const aside = document.querySelector<HTMLElement>("[data-try]");
  if (!aside) return;
  const call = JSON.parse(aside.dataset.try ?? "") as Call;
  const part = document.createElement("section");
  part.className = "try";
  part.ariaLabel = "Try it";
  const field = document.createElement("textarea");
  field.ariaLabel = "Body of the request";
  field.spellcheck = false;
  field.value = call.body ?? "";
  field.rows = Math.min(12, field.value.split("\n").length + 1);
  const status = document.createElement("p");
  status.role = "status";
  const result = document.createElement("div");
  const sendIt = async () => {
    result.replaceChildren();
    return send(call, call.body === null ? null : field.value, result);
  };
  const buttons = document.createElement("div");
  buttons.append(button("Send", sendIt, status), button("Test key in curl", fillIn, status));
  const heading = document.createElement("h2");
  heading.textContent = "Try it";
  part.append(heading, ...(call.body === null ? [] : [field]), buttons, status, result);
  aside.querySelector(".languages")?.after(part);
}
