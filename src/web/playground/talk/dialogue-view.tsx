/**
 * The dialogue: what was heard of an answer is solid, the rest pale. It is no live region: a screen reader would read aloud what
 * the loudspeaker says.
 */
import { useEffect, useRef } from "react";
import { talkTexts } from "../../language/en/talk.ts";
import { Badge } from "../../ui/page.tsx";
import { type Answer, type Call, type Dialogue, heardOf, type Turn } from "./dialogue.ts";
import type { Sounds } from "./sounds.ts";
import { Stages, scaleOf } from "./stages.tsx";

/** The newest stays in view. */
export function DialogueView({ dialogue: { entries, sounds } }: { dialogue: Dialogue }) {
  const t = talkTexts();
  const list = useRef<HTMLOListElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: with each change of the dialogue
  useEffect(() => {
    list.current?.scrollTo({ top: list.current.scrollHeight });
  }, [entries]);
  const answers = entries.filter((entry) => entry.is === "answer");
  const scaleMs = scaleOf(answers);
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolls with the keyboard */}
      <ol className="dialogue" ref={list} tabIndex={0} aria-label={t("dialogue")}>
        {entries.map((entry) =>
          entry.is === "turn" ? (
            <TurnEntry key={entry.id} turn={entry} />
          ) : (
            <AnswerEntry key={entry.id} answer={entry} sounds={sounds} scaleMs={scaleMs} />
          ),
        )}
        {entries.length === 0 && <li className="placeholder">{t("appearsHere")}</li>}
      </ol>
      {answers.length > 0 && <p className="hint">{t("timesFrom")}</p>}
    </>
  );
}

const TurnEntry = ({ turn: { text, isFinal } }: { turn: Turn }) => (
  <li className={isFinal ? "turn" : "turn open"}>
    <span className="unseen">{talkTexts()("you")} </span>
    {text || "…"}
  </li>
);

type AnswerEntryProps = { answer: Answer; sounds: Sounds; scaleMs: number };

function AnswerEntry({ answer, sounds, scaleMs }: AnswerEntryProps) {
  const t = talkTexts();
  const { calls, status, problem } = answer;
  const { heard, unheard } = heardOf(answer, sounds);
  const isWaiting = status === "in_progress" && answer.pieces.length + calls.length === 0;
  return (
    <li className="answer">
      {(answer.pieces.length > 0 || isWaiting) && (
        <p>
          <span className="unseen">{t("assistant")} </span>
          {heard}
          {unheard !== "" && (
            <span className="unheard">
              {status === "cancelled" && <span className="unseen"> {t("notHeard")} </span>}
              {unheard}
            </span>
          )}
          {isWaiting && "…"}
        </p>
      )}
      {calls.map((call) => (
        <CallLine key={call.callId} call={call} />
      ))}
      {status === "cancelled" && <Badge tone="warn">{t("interrupted")}</Badge>}
      {problem !== null && (
        <p role="alert" className="problem">
          {problem}
        </p>
      )}
      <Stages answer={answer} scaleMs={scaleMs} />
    </li>
  );
}

const CallLine = ({ call: { name, arguments: asked, output } }: { call: Call }) => (
  <p className="call">
    <span className="unseen">{talkTexts()("functionCall")} </span>
    <code>
      {name}({asked === "{}" ? "" : asked})
    </code>{" "}
    {output !== null && <>→ {output}</>}
  </p>
);
