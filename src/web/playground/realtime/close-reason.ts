/** Why a session was closed, as a sentence. Pure. */
import { liveTexts } from "../../language/en/live.ts";

const NORMAL_CLOSE = 1000;
const NO_STATUS = 1005;
const LOST = 1006;

/** As its socket tells; null after a normal end. */
export function closedBecause({ code, reason }: { code: number; reason: string }): string | null {
  if (code === NORMAL_CLOSE || code === NO_STATUS) return null;
  if (code === LOST) return liveTexts()("lost");
  return liveTexts()("closed", { reason: reason || String(code) });
}
