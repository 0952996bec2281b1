/** The buttons of a conversation: start and end, the microphone, interrupting, and a turn that is held or written. */
import { type KeyboardEvent, type PointerEvent, type SubmitEvent, useRef, useState } from "react";
import { talkTexts } from "../../language/en/talk.ts";
import { transcribeTexts } from "../../language/en/transcribe.ts";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { isMicrophoneOffered } from "../audio/capture.ts";
import { SessionTimer } from "../realtime/session-timer.tsx";
import { isAnswering, type Talk, type TalkState } from "./talk.ts";

type TalkControlsProps = {
  talk: Talk;
  state: TalkState;
  /** Turns are not detected. */
  isHeld: boolean;
  isReady: boolean;
  onStart: () => void;
};

export function TalkControls({ talk, state, isHeld, isReady, onStart }: TalkControlsProps) {
  const t = talkTexts();
  const { phase, microphone, level, startedAt } = state;
  const isOpen = phase === "open";
  const isListening = microphone === "open" || microphone === "muted";
  return (
    <div className="talk-line">
      {!isListening && (
        <Button
          kind="primary"
          disabled={!isReady || !isMicrophoneOffered()}
          busy={phase === "opening" || microphone === "opening"}
          onClick={onStart}
        >
          <Icon name="microphone" /> {t("start")}
        </Button>
      )}
      {isListening && isHeld && <HoldButton talk={talk} state={state} />}
      {isListening && (
        <Button aria-pressed={microphone === "muted"} onClick={talk.toggleMute}>
          {t("mute")}
        </Button>
      )}
      {isOpen && (
        <>
          <Button disabled={!isAnswering(state)} onClick={talk.interrupt}>
            {t("interrupt")}
          </Button>
          <Button onClick={talk.end}>
            <Icon name="stop" /> {t("end")}
          </Button>
        </>
      )}
      <SessionTimer startedAt={startedAt} isRunning={isOpen} />
      {isListening && <meter min={0} max={1} value={level} aria-label={transcribeTexts()("level")} />}
    </div>
  );
}

const HELD_MS = 400; // shorter: the next press ends the turn

/** Held while the person speaks, or pressed before and after. */
function HoldButton({ talk, state }: Pick<TalkControlsProps, "talk" | "state">) {
  const pressedAt = useRef(0);
  const { isHolding } = state;
  function press() {
    pressedAt.current = isHolding ? Number.NEGATIVE_INFINITY : performance.now();
    if (!isHolding) talk.hold();
  }
  function release() {
    if (isHolding && performance.now() - pressedAt.current >= HELD_MS) talk.release();
  }
  const isKey = ({ key }: KeyboardEvent) => key === " " || key === "Enter";
  return (
    <Button
      kind="primary"
      className="button primary hold"
      aria-pressed={isHolding}
      disabled={state.microphone === "muted"}
      onPointerDown={(event: PointerEvent<HTMLButtonElement>) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        press();
      }}
      onPointerUp={release}
      onPointerCancel={release}
      onContextMenu={(event) => event.preventDefault()}
      onKeyDown={(event) => {
        if (!isKey(event)) return;
        event.preventDefault();
        if (!event.repeat) press();
      }}
      onKeyUp={(event) => {
        if (!isKey(event)) return;
        event.preventDefault();
        release();
      }}
      onBlur={release}
    >
      <Icon name="microphone" /> {talkTexts()("hold")}
    </Button>
  );
}

/** A turn that is written instead of spoken. */
export function WriteTurn({ isReady, onSay }: { isReady: boolean; onSay: (text: string) => void }) {
  const t = talkTexts();
  const [text, setText] = useState("");
  function submit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (text.trim() === "") return;
    onSay(text.trim());
    setText("");
  }
  return (
    <form className="write-turn" onSubmit={submit}>
      <label htmlFor="talk-text" className="unseen">
        {t("write")}
      </label>
      <input
        dir="auto"
        id="talk-text"
        name="talk-text"
        autoComplete="off"
        placeholder={t("write")}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <Button type="submit" disabled={!isReady || text.trim() === ""}>
        {t("send")}
      </Button>
    </form>
  );
}
