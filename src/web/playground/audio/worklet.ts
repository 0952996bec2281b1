/** Loads audio worklets, which are files of their own beside the page. */
import { ping } from "../../browser/connection.ts";
import { site } from "../../browser/site.ts";
import { speakTexts } from "../../language/en/speak.ts";

export async function loadWorklet(context: AudioContext, name: "microphone" | "loudspeaker"): Promise<void> {
  try {
    await context.audioWorklet.addModule(`${site.base}/assets/${name}.js`);
  } catch (cause) {
    const t = speakTexts();
    const part = t(name === "microphone" ? "recorderPart" : "playerPart");
    const reason = (await ping()) ? t("soundNotLoaded", { part }) : t("soundUnreachable", { part });
    throw new Error(reason, { cause });
  }
}
