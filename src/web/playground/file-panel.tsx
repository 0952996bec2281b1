/** File transcription: each word of the transcript plays its part of the recording. */
import { type DragEvent, Fragment, useRef, useState } from "react";
import { apiBase, type Client, STT_MODEL } from "../lib/public-api.ts";
import { transcriptionSnippets } from "../lib/snippets.ts";
import { Card } from "../ui/page.tsx";
import { SnippetButtons } from "../ui/snippet-buttons.tsx";
import { type Message, messageOf, StatusLine } from "../ui/status-line.tsx";

type Word = { word: string; start: number; end: number };
type Transcript = { duration: number; words: Word[] };

export function FilePanel({ client }: { client: Client }) {
  const [source, setSource] = useState<string | null>(null);
  const [words, setWords] = useState<Word[]>([]);
  const [message, setMessage] = useState<Message>({ text: "" });
  const [time, setTime] = useState(0);
  const player = useRef<HTMLAudioElement>(null);
  const latest = useRef<File>(null);

  async function open(file: File | undefined) {
    if (!file) return;
    latest.current = file;
    setSource((before) => {
      if (before) URL.revokeObjectURL(before);
      return URL.createObjectURL(file);
    });
    setWords([]);
    setMessage({ text: `Transcribing ${file.name} …` });
    try {
      const startedAt = performance.now();
      const transcript = await transcribe(client, file);
      if (latest.current !== file) return;
      const tookMs = Math.round(performance.now() - startedAt);
      setWords(transcript.words);
      const hint = transcript.words.length > 0 ? "Click a word to play it." : "No speech was recognized.";
      setMessage({ text: `${transcript.duration.toFixed(1)} s of audio in ${tookMs} ms. ${hint}` });
    } catch (error) {
      if (latest.current === file) setMessage(messageOf(error));
    }
  }

  function play(start: number) {
    if (!player.current) return;
    player.current.currentTime = start;
    void player.current.play();
  }

  return (
    <Card
      title="Transcribe a file"
      actions={<SnippetButtons snippets={transcriptionSnippets(apiBase(), STT_MODEL)} />}
    >
      <DropZone onFile={(file) => void open(file)} />
      {source && (
        <audio
          id="player"
          ref={player}
          src={source}
          controls
          onTimeUpdate={(event) => setTime(event.currentTarget.currentTime)}
        >
          <track kind="captions" label="The transcript below" />
        </audio>
      )}
      <StatusLine id="file-status" message={message} />
      <Words words={words} time={time} onPlay={play} />
    </Card>
  );
}

async function transcribe(client: Client, file: File): Promise<Transcript> {
  const form = new FormData();
  form.set("model", STT_MODEL);
  form.set("response_format", "verbose_json");
  form.append("timestamp_granularities[]", "word");
  form.set("file", file);
  return (await client("/audio/transcriptions", { method: "POST", body: form })).json();
}

function DropZone({ onFile }: { onFile: (file: File | undefined) => void }) {
  const [isOver, setOver] = useState(false);
  const over = (value: boolean) => (event: DragEvent) => {
    event.preventDefault();
    setOver(value);
  };
  return (
    <label
      className={isOver ? "drop over" : "drop"}
      onDragOver={over(true)}
      onDragLeave={over(false)}
      onDrop={(event) => {
        over(false)(event);
        onFile(event.dataTransfer.files[0]);
      }}
    >
      <span>
        Drop a recording here, or <u>choose a file</u>
      </span>
      <input
        name="file"
        type="file"
        accept="audio/*,video/*"
        onChange={(event) => onFile(event.target.files?.[0])}
      />
    </label>
  );
}

type WordsProps = { words: Word[]; time: number; onPlay: (start: number) => void };

function Words({ words, time, onPlay }: WordsProps) {
  return (
    <section className="transcript" aria-label="Transcript">
      {words.map(({ word, start, end }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: words repeat, and never move
        <Fragment key={index}>
          <button
            type="button"
            className={time >= start && time < end ? "current" : undefined}
            title={`${start.toFixed(2)} to ${end.toFixed(2)} s`}
            onClick={() => onPlay(start)}
          >
            {word}
          </button>{" "}
        </Fragment>
      ))}
    </section>
  );
}
