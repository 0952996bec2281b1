/** What was spoken before: play it, use its settings again, download it, remove it. */

import { useState } from "react";
import { save } from "../../browser/save-file.ts";
import { seconds } from "../../format/numbers.ts";
import { speakTexts } from "../../language/en/speak.ts";
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
  const t = speakTexts();
  const [isAsking, setAsking] = useState(false);
  return (
    <Card
      title={t("history")}
      actions={history.items.length > 0 && <Button onClick={() => setAsking(true)}>{t("clear")}</Button>}
    >
      <p className="hint">
        {t("kept")} {history.items.length === 0 && t("appearsHere")}
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
          title={t("clearTitle")}
          submit={t("clearHistory")}
          onClose={() => setAsking(false)}
          onSubmit={async () => onClear()}
        >
          <p>{t("clearText")}</p>
        </FormDialog>
      )}
    </Card>
  );
}

type RowProps = { item: Synthesis; onPlay: () => void; onReuse: () => void; onRemove: () => void };

function HistoryRow({ item, onPlay, onReuse, onRemove }: RowProps) {
  const t = speakTexts();
  const { request, voiceName, durationSeconds, createdAt } = item;
  return (
    <li>
      <button
        type="button"
        className="round small"
        aria-label={t("playText", { text: request.input.slice(0, 60) })}
        onClick={onPlay}
      >
        <Icon name="play" />
      </button>
      <span className="names">
        <span className="text" dir="auto">
          {request.input}
        </span>
        <small>
          {voiceName} · {request.model} · {request.response_format} · {seconds(durationSeconds)} ·{" "}
          <RelativeTime time={Math.floor(createdAt / 1000)} />
        </small>
      </span>
      <span className="row-actions">
        <IconButton name="reuse" label={t("reuse")} onClick={onReuse} />
        <IconButton
          name="download"
          label={t("download")}
          onClick={() => save(fileNameOf(item), downloadOf(item))}
        />
        <IconButton name="close" label={t("remove")} onClick={onRemove} />
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
