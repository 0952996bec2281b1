/** Live transcription of the microphone, utterance by utterance. */
import { useEffect, useRef, useState } from "react";
import { apiBase, type Client } from "../../lib/public-api.ts";
import { realtimeSnippets } from "../../lib/snippets.ts";
import { Button } from "../../ui/button.tsx";
import { Choice } from "../../ui/form/form.tsx";
import { Card } from "../../ui/page.tsx";
import { SnippetButtons } from "../../ui/snippet-buttons.tsx";
import { type Message, messageOf, StatusLine } from "../../ui/status-line.tsx";
import { openLiveSession, sessionConfig, type TurnDetection } from "./live-session.ts";
import { applyEvent, type LiveEvent, type Utterance } from "./utterances.ts";

const SNIPPET_RATE = 24_000;
const MESSAGES: Record<string, string> = {
  "session.created": "Listening. Say something.",
  "input_audio_buffer.speech_started": "You are speaking.",
  "input_audio_buffer.speech_stopped": "Listening.",
};

export function LivePanel({ client }: { client: Client }) {
  const [turnDetection, setTurnDetection] = useState<TurnDetection>("server_vad");
  const { isOpen, isBusy, toggle, level, message, utterances } = useLiveSession(client, turnDetection);
  return (
    <Card
      title="Live"
      actions={
        <SnippetButtons snippets={realtimeSnippets(apiBase(), sessionConfig(turnDetection, SNIPPET_RATE))} />
      }
    >
      <div className="controls">
        <Button kind="primary" aria-pressed={isOpen} busy={isBusy} onClick={() => void toggle()}>
          {isOpen ? "Stop" : "Start microphone"}
        </Button>
        <Choice
          name="turns"
          label="End of a turn"
          value={turnDetection}
          onChange={(event) => setTurnDetection(event.target.value as TurnDetection)}
        >
          <option value="server_vad">After half a second of silence</option>
          <option value="semantic_vad">When the sentence seems complete</option>
        </Choice>
        <meter min={0} max={1} value={level} aria-label="Microphone level" />
      </div>
      <StatusLine id="live-status" message={message} />
      <ol className="utterances" aria-label="Live transcript" aria-live="polite">
        {utterances.map(({ itemId, text, isFinal, latencyMs }) => (
          <li key={itemId} className={isFinal ? undefined : "open"}>
            {text} {latencyMs !== null && <small>{latencyMs} ms after you stopped</small>}
          </li>
        ))}
      </ol>
    </Card>
  );
}

function useLiveSession(client: Client, turnDetection: TurnDetection) {
  const [isOpen, setOpen] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [level, setLevel] = useState(0);
  const [message, setMessage] = useState<Message>({ text: "" });
  const [utterances, setUtterances] = useState<Utterance[]>([]);
  const end = useRef<(() => void) | null>(null);

  useEffect(() => () => end.current?.(), []);

  function onEvent(event: LiveEvent) {
    const text = MESSAGES[event.type];
    if (text) setMessage({ text });
    if (event.type === "error")
      setMessage({ text: `${event.error?.message} (${event.error?.code})`, isError: true });
    setUtterances((all) => applyEvent(all, event, performance.now()));
  }

  function onClose(reason: string | null) {
    end.current = null;
    setOpen(false);
    setLevel(0);
    if (reason) setMessage({ text: `Closed: ${reason}.`, isError: true });
  }

  async function toggle(): Promise<void> {
    if (end.current) {
      end.current();
      return setMessage({ text: "Stopped." });
    }
    setBusy(true);
    try {
      end.current = await openLiveSession({ client, turnDetection, onEvent, onLevel: setLevel, onClose });
      setOpen(true);
    } catch (error) {
      setMessage(messageOf(error));
    } finally {
      setBusy(false);
    }
  }

  return { isOpen, isBusy, toggle, level, message, utterances };
}
