/** Whoever is signed in needs no key: this page has a test key made for it, of a project of theirs. */
import { lendKey, tell } from "./api.js";

const id = (name) => document.getElementById(name);

/** Who is signed in, and where they belong; null for nobody. */
export async function readSession() {
  const response = await fetch("/api/session").catch(() => null);
  return response?.ok ? response.json() : null;
}

/** Lets them choose a project; `ready` is called whenever there is a key of another one. */
export function offerProjects({ user, organizations, csrf_token }, ready) {
  const [organization, project] = [id("organization"), id("project")];
  const asked = new URLSearchParams(location.search).get("organization");
  organization.replaceChildren(...organizations.map((each) => new Option(each.name, each.id)));
  if (organizations.some((each) => each.id === asked)) organization.value = asked;

  const trying = (work) => async () => {
    try {
      await work();
    } catch (error) {
      tell("key-note", error.message, true);
    }
  };
  const takeKey = trying(async () => {
    tell("key-note", "A test key is being made …");
    const { value: chosen } = project;
    const { secret } = await manage(`/api/projects/${chosen}/playground-key`, {
      method: "POST",
      headers: { "x-csrf-token": csrf_token },
    });
    if (chosen !== project.value) return; // another was chosen meanwhile
    lendKey(secret);
    const name = project.selectedOptions[0].text;
    tell("key-note", `Signed in as ${user.email}, using a test key of project ${name}.`);
    await ready();
  });
  const showProjects = trying(async () => {
    id("dashboard").href = `/orgs/${organization.value}/overview`;
    const { data } = await manage(`/api/organizations/${organization.value}/projects`);
    const active = data.filter(({ status }) => status === "active");
    project.replaceChildren(...active.map((each) => new Option(each.name, each.id)));
    await takeKey();
  });

  organization.addEventListener("change", () => void showProjects());
  project.addEventListener("change", () => void takeKey());
  return showProjects();
}

/** The management API, which the session is for. */
async function manage(path, init) {
  const response = await fetch(path, init);
  const body = await response.json();
  if (response.ok) return body;
  throw new Error(`${body.error.message} (${body.error.code}, ${body.error.request_id})`);
}
