/** How long an answer took to reach each of its stages, from the end of the turn that it answers. */
import { ms } from "../../format/numbers.ts";
import { talkTexts } from "../../language/en/talk.ts";
import type { Answer } from "./dialogue.ts";
import type { Latency } from "./talk-event.ts";

const STAGES: [stage: keyof Latency, name: "transcript" | "firstToken" | "firstClause" | "firstSound"][] = [
  ["transcript_ms", "transcript"],
  ["first_token_ms", "firstToken"],
  ["first_clause_ms", "firstClause"],
  ["first_sound_ms", "firstSound"],
];

/** The longest of all answers, so that their bars compare. */
export const scaleOf = (answers: readonly Answer[]): number =>
  Math.max(1, ...answers.flatMap(({ latency }) => Object.values(latency).map((atMs) => atMs ?? 0)));

/** What is not known is left out. `scaleMs`: of the whole bar. */
export function Stages({
  answer: { latency, isMeasuredHere },
  scaleMs,
}: {
  answer: Answer;
  scaleMs: number;
}) {
  const t = talkTexts();
  const known = STAGES.flatMap(([stage, name]) => {
    const atMs = latency[stage];
    return atMs === null ? [] : [{ stage, name, atMs }];
  });
  if (known.length === 0) return null;
  return (
    <div className="stages">
      <dl aria-label={t("stages")}>
        {known.map(({ stage, name, atMs }) => (
          <div key={stage}>
            <dt className={stage}>{t(name)}</dt>
            <dd>{ms(Math.round(atMs))}</dd>
          </div>
        ))}
      </dl>
      <Bar stages={known} scaleMs={scaleMs} />
      {isMeasuredHere && <small>{t("measuredHere")}</small>}
    </div>
  );
}

/** One part a stage, as long as it took. */
const Bar = ({ stages, scaleMs }: { stages: { stage: string; atMs: number }[]; scaleMs: number }) => (
  <svg viewBox={`0 0 ${scaleMs} 1`} preserveAspectRatio="none" aria-hidden="true">
    {stages.map(({ stage, atMs }, index) => {
      const from = stages[index - 1]?.atMs ?? 0;
      return <rect key={stage} className={stage} x={from} width={Math.max(0, atMs - from)} height={1} />;
    })}
  </svg>
);
