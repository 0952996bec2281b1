/** Records the microphone to a WAV file, which every server reads. */

import { useEffect, useRef, useState } from "react";
import { wavHeader } from "../../../audio/pcm.ts";
import { systemClock } from "../../../clock.ts";
import { transcribeTexts } from "../../language/en/transcribe.ts";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { type Message, messageOf, StatusLine } from "../../ui/status-line.tsx";
import { type Capture, isMicrophoneOffered, levelOf, openCapture } from "../audio/capture.ts";
import { MicrophoneNotice } from "../audio/microphone-notice.tsx";
import type { Samples } from "../audio/sample-text.ts";
import { timerText } from "../audio/time-text.ts";

const SAMPLES_MAX = 12 * 1024 * 1024; // 24 MB: the API takes 25
const SECONDS_MAX = 595; // the API takes 600

/** `secondsMax`: what the recording ends at by itself. `id`: of its status line, where a page has several. */
type RecorderProps = { onFile: (file: File) => void; secondsMax?: number; id?: string };

export function Recorder({ onFile, secondsMax = SECONDS_MAX, id = "record-status" }: RecorderProps) {
  const { isRecording, toggle, seconds, level, message } = useRecorder(onFile, secondsMax);
  const t = transcribeTexts();
  const [isAsked, setAsked] = useState(false);
  if (isAsked && !isMicrophoneOffered()) return <MicrophoneNotice />;
  return (
    <div className="recorder">
      <Button
        aria-pressed={isRecording}
        onClick={() => (isMicrophoneOffered() ? void toggle() : setAsked(true))}
      >
        <Icon name={isRecording ? "stop" : "microphone"} />
        {t(isRecording ? "stopRecording" : "record")}
      </Button>
      {isRecording && (
        <>
          <span className="time">{timerText(seconds)}</span>
          <meter min={0} max={1} value={level} aria-label={t("level")} />
        </>
      )}
      <StatusLine id={id} message={message} />
    </div>
  );
}

type Recording = { capture: Capture; chunks: Samples[] };

function useRecorder(onFile: (file: File) => void, secondsMax: number) {
  const [sampleCount, setCount] = useState(0);
  const [level, setLevel] = useState(0);
  const [message, setMessage] = useState<Message>({ text: "" });
  const [recording, setRecording] = useState<Recording | null>(null);
  const open = useRef<Capture | null>(null);
  useEffect(() => () => open.current?.close(), []);

  async function start() {
    setMessage({ text: "" });
    setCount(0);
    const chunks: Samples[] = [];
    try {
      const capture = await openCapture((samples) => {
        chunks.push(samples);
        setLevel(levelOf(samples));
        setCount((count) => count + samples.length);
      });
      open.current = capture;
      setRecording({ capture, chunks });
    } catch (error) {
      setMessage(messageOf(error));
    }
  }

  async function finish({ capture, chunks }: Recording) {
    setRecording(null);
    await capture.finish();
    open.current = null;
    onFile(wavFile(chunks, capture.sampleRate));
  }

  const seconds = recording ? sampleCount / recording.capture.sampleRate : 0;
  const isFull = seconds >= secondsMax || sampleCount >= SAMPLES_MAX;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the recording is as long as the API takes
  useEffect(() => {
    if (recording && isFull) void finish(recording);
  }, [isFull]);
  return {
    ...{ seconds, level, message },
    isRecording: recording !== null,
    toggle: () => (recording ? finish(recording) : start()),
  };
}

function wavFile(chunks: Samples[], sampleRate: number): File {
  const count = chunks.reduce((sum, { length }) => sum + length, 0);
  const name = `recording-${systemClock.now()}.wav`;
  return new File([wavHeader(count, sampleRate), ...chunks], name, { type: "audio/wav" });
}
