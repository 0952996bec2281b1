/** The page: a key, then three things to try with it. */
import { ask, key, tell, useKey } from "./api.js";
import { openFile } from "./file.js";
import { openLive } from "./live.js";
import { offerProjects, readSession } from "./session.js";
import { offerCopies } from "./snippets.js";
import { openSpeaking } from "./speak.js";

const form = document.getElementById("key-form");
const field = document.getElementById("key");
const speaking = openSpeaking();
openFile();
openLive();
offerCopies();

form.addEventListener("submit", (event) => {
  event.preventDefault();
  useKey(field.value);
  void begin();
});

async function begin() {
  try {
    const me = await (await ask("/me")).json();
    tell(
      "key-note",
      `Ready: ${me.organization?.name ?? "your organization"}, ${me.key?.environment ?? ""} key.`,
    );
    await speaking.load();
  } catch (error) {
    tell("key-note", error.message, true);
  }
}

const session = await readSession();
if (session?.organizations.length > 0) {
  form.hidden = true;
  document.getElementById("projects").hidden = false;
  await offerProjects(session, speaking.load);
} else if (key() !== "" && field.value === "") {
  field.value = key();
  await begin();
}
