/** Loads audio worklets, which are files of their own beside the page. */
import { ping } from "../../browser/connection.ts";
import { site } from "../../browser/site.ts";

/** `part`: what the page calls it. */
type Worklet = { name: "microphone" | "loudspeaker"; part: string };

export async function loadWorklet(context: AudioContext, { name, part }: Worklet): Promise<void> {
  try {
    await context.audioWorklet.addModule(`${site.base}/assets/${name}.js`);
  } catch (cause) {
    const reason = (await ping())
      ? `The ${part} could not be loaded. Reload the page.`
      : `The ${part} could not be loaded: the server cannot be reached. Try again once it answers.`;
    throw new Error(reason, { cause });
  }
}
