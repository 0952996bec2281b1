/** A recording to text: each word is a button that plays it. */
import { ask, tell } from "./api.js";

const id = (name) => document.getElementById(name);

export function openFile() {
  const player = id("player");
  const drop = id("drop");
  let words = [];

  id("file").addEventListener("change", (event) => void take(event.target.files[0]));
  for (const name of ["dragover", "dragleave", "drop"]) {
    drop.addEventListener(name, (event) => {
      event.preventDefault();
      drop.classList.toggle("over", name === "dragover");
      if (name === "drop") void take(event.dataTransfer.files[0]);
    });
  }
  player.addEventListener("timeupdate", () => {
    for (const { button, start, end } of words) {
      button.classList.toggle("now", player.currentTime >= start && player.currentTime < end);
    }
  });

  async function take(file) {
    if (!file) return;
    URL.revokeObjectURL(player.src);
    player.src = URL.createObjectURL(file);
    player.hidden = false;
    id("transcript").replaceChildren();
    tell("file-status", `Transcribing ${file.name} …`);
    try {
      const begun = performance.now();
      const transcript = await transcribe(file);
      words = transcript.words.map((word) => ({ ...word, button: wordButton(word, player) }));
      id("transcript").replaceChildren(...words.flatMap(({ button }) => [button, " "]));
      const tookMs = Math.round(performance.now() - begun);
      const said = words.length > 0 ? "Click a word to hear it." : "No words were heard.";
      tell("file-status", `${transcript.duration.toFixed(1)} s of audio in ${tookMs} ms. ${said}`);
    } catch (error) {
      tell("file-status", error.message, true);
    }
  }
}

async function transcribe(file) {
  const form = new FormData();
  form.set("model", "svc-stt1");
  form.set("response_format", "verbose_json");
  form.append("timestamp_granularities[]", "word");
  form.set("file", file);
  return (await ask("/audio/transcriptions", { method: "POST", body: form })).json();
}

function wordButton({ word, start, end }, player) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = word;
  button.title = `${start.toFixed(2)} to ${end.toFixed(2)} s`;
  button.addEventListener("click", () => {
    player.currentTime = start;
    void player.play();
  });
  return button;
}
