/** A request as a line of time: the wait for its first audio or text, and what followed until its end. */
import { ms } from "../format/numbers.ts";
import type { RequestRecord } from "./request-pages.ts";

/** Nothing where there was no first audio or text. */
export function TimeLine({ of }: { of: Pick<RequestRecord, "first_audio_ms" | "duration_ms"> }) {
  const { first_audio_ms: first, duration_ms: duration } = of;
  if (first === null || duration <= 0) return null;
  const share = Math.min(100, (first / duration) * 100);
  return (
    <figure className="time-line">
      <div aria-hidden>
        <i style={{ width: `${share.toFixed(1)}%` }} />
      </div>
      <figcaption>
        <span>Waited {ms(first)}</span>
        <span>Sent for {ms(Math.max(0, duration - first))}</span>
      </figcaption>
    </figure>
  );
}
