/** A gauge of a limit; its text contains everything that its length shows. */
import { useId } from "react";
import { Badge } from "./page.tsx";

const CLOSE = 0.8;

type MeterProps = {
  name: string;
  /** The used part of the limit, from 0 to 1. */
  part: number;
  text: string;
  hint: string;
  /** Whether reaching the end is an achievement, not a problem. */
  isGoal?: boolean;
};

export function Meter({ name, part, text, hint, isGoal = false }: MeterProps) {
  const id = useId();
  const tone = isGoal ? null : toneOf(part);
  return (
    <div className="meter">
      <h3 id={id}>{name}</h3>
      <meter aria-labelledby={id} aria-valuetext={`${text}, ${hint}`} value={part} />
      <div className={`level ${tone ?? ""}`} aria-hidden>
        <i style={{ width: `${Math.min(1, part) * 100}%` }} />
      </div>
      <p>
        {text} {tone && <Badge tone={tone}>{tone === "bad" ? "limit reached" : "close to the limit"}</Badge>}
      </p>
      <small>{hint}</small>
    </div>
  );
}

function toneOf(part: number) {
  if (part >= 1) return "bad";
  return part >= CLOSE ? "warn" : null;
}
