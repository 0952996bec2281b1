/** What was spoken before: play it, use its settings again, download it, remove it. */
import { useState } from "react";
import { save } from "../../browser/save-file.ts";
import { seconds } from "../../format/numbers.ts";
import { Button } from "../../ui/button.tsx";
import { FormDialog } from "../../ui/form/form-dialog.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Card } from "../../ui/page.tsx";
import { RelativeTime } from "../../ui/time.tsx";
import { downloadOf, type Synthesis } from "../synthesis/synthesis.ts";
import type { SpeechHistory } from "./use-history.ts";

type HistoryProps = {
  history: SpeechHistory;
  onPlay: (item: Synthesis) => void;
  onReuse: (item: Synthesis) => void;
  onClear: () => void;
};

export function History({ history, onPlay, onReuse, onClear }: HistoryProps) {
  const [isAsking, setAsking] = useState(false);
  return (
    <Card
      title="History"
      actions={history.items.length > 0 && <Button onClick={() => setAsking(true)}>Clear</Button>}
    >
      <p className="hint">
        Kept in this browser only, never sent anywhere.{" "}
        {history.items.length === 0 && "What you speak appears here."}
      </p>
      <ol className="history">
        {history.items.map((item) => (
          <HistoryRow
            key={item.id}
            item={item}
            onPlay={() => onPlay(item)}
            onReuse={() => onReuse(item)}
            onRemove={() => history.remove(item.id)}
          />
        ))}
      </ol>
      {isAsking && (
        <FormDialog
          kind="danger"
          title="Clear the history?"
          submit="Clear the history"
          onClose={() => setAsking(false)}
          onSubmit={async () => onClear()}
        >
          <p>Removes texts, recordings, voice samples and saved settings from this browser.</p>
        </FormDialog>
      )}
    </Card>
  );
}

type RowProps = { item: Synthesis; onPlay: () => void; onReuse: () => void; onRemove: () => void };

function HistoryRow({ item, onPlay, onReuse, onRemove }: RowProps) {
  const { request, voiceName, durationSeconds, createdAt } = item;
  return (
    <li>
      <button
        type="button"
        className="round small"
        aria-label={`Play: ${request.input.slice(0, 60)}`}
        onClick={onPlay}
      >
        <Icon name="play" />
      </button>
      <span className="names">
        <span className="text">{request.input}</span>
        <small>
          {voiceName} · {request.model} · {request.response_format} · {seconds(durationSeconds)} ·{" "}
          <RelativeTime time={Math.floor(createdAt / 1000)} />
        </small>
      </span>
      <span className="row-actions">
        <IconButton name="reuse" label="Use this text and these settings again" onClick={onReuse} />
        <IconButton
          name="download"
          label="Download"
          onClick={() => save(fileNameOf(item), downloadOf(item))}
        />
        <IconButton name="close" label="Remove from the history" onClick={onRemove} />
      </span>
    </li>
  );
}

type IconButtonProps = { name: "reuse" | "download" | "close"; label: string; onClick: () => void };

const IconButton = ({ name, label, onClick }: IconButtonProps) => (
  <button type="button" className="icon-button" aria-label={label} title={label} onClick={onClick}>
    <Icon name={name} />
  </button>
);

/** "loquat-female-warm.wav". */
export const fileNameOf = ({ request }: Pick<Synthesis, "request">): string =>
  `loquat-${request.voice}.${request.response_format}`;
