/** What a job has spoken: heard and downloaded, the whole or a chapter, with its subtitles. */
import { useEffect, useState } from "react";
import { byteText } from "../../byte-text.ts";
import { fileOf } from "../api/server.ts";
import { useOrganization } from "../api/session.ts";
import { save } from "../browser/save-file.ts";
import { count, seconds } from "../format/numbers.ts";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/page.tsx";
import { Failure } from "../ui/query-boundary.tsx";
import type { Job } from "./job.ts";

const ROUTE = "POST /api/organizations/:organization/jobs/:job/speech";

type Chapters = NonNullable<Job["chapters"]>;
type Asked = { chapter?: number; format?: "vtt" | "srt" };

/** Of one download at a time: which is under way, and why the last one failed. */
function useSpeech(job: string) {
  const { id: organization } = useOrganization();
  const [busy, setBusy] = useState<string | null>(null);
  const [failure, setFailure] = useState<{ error: Error; retry: () => void } | null>(null);
  const read = async (name: string, asked: Asked, use: (file: { name: string; content: Blob }) => void) => {
    setBusy(name);
    setFailure(null);
    try {
      use(await fileOf(ROUTE, { ids: { organization, job }, body: asked }));
    } catch (error) {
      setFailure({ error: error as Error, retry: () => void read(name, asked, use) });
    }
    setBusy(null);
  };
  const download = (name: string, asked: Asked) =>
    void read(name, asked, (file) => save(file.name, file.content));
  return { busy, failure, read, download };
}

export function JobSpeech({ of: job, chapters }: { of: Job; chapters: Chapters }) {
  const { status, output, read_once: isReadOnce } = job;
  const { busy, failure, read, download } = useSpeech(job.id);
  const isDone = status === "completed";
  const format = job.response_format.toUpperCase();
  return (
    <Card title="Speech">
      {isDone && isReadOnce && (
        <p>
          The result is deleted once all of it was downloaded, here or by a program. Download its subtitles
          first.
        </p>
      )}
      {status === "expired" && <p className="empty">The result has expired, and was deleted.</p>}
      {failure && <Failure {...failure} />}
      {isDone && (
        <div className="actions">
          <Button kind="primary" busy={busy === "all"} onClick={() => download("all", {})}>
            Download {format}
            {output && `, ${byteText(output.bytes)}`}
          </Button>
          {(["vtt", "srt"] as const).map((each) => (
            <Button key={each} busy={busy === each} onClick={() => download(each, { format: each })}>
              Subtitles, {each.toUpperCase()}
            </Button>
          ))}
          {!isReadOnce && job.response_format !== "pcm" && <Listen read={read} />}
        </div>
      )}
      {chapters.length > 1 && (
        <ol className="chapters">
          {chapters.map((chapter, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: chapters stay in their order
            <li key={index}>
              <ChapterText of={chapter} />
              {chapter.start !== null && status !== "expired" && (
                <Button
                  kind="quiet"
                  busy={busy === `${index}`}
                  aria-label={`Download chapter ${index + 1}`}
                  onClick={() => download(`${index}`, { chapter: index + 1 })}
                >
                  Download
                </Button>
              )}
            </li>
          ))}
        </ol>
      )}
    </Card>
  );
}

function ChapterText({ of: { title, characters, start, end } }: { of: Chapters[number] }) {
  return (
    <span>
      <bdi>{title === "" ? "Without a title" : title}</bdi>{" "}
      <small>
        {start === null || end === null
          ? `${count(characters)} characters, not spoken`
          : `from ${seconds(start)} to ${seconds(end)}`}
      </small>
    </span>
  );
}

/** The whole is fetched first, and is gone with the page. */
function Listen({ read }: { read: ReturnType<typeof useSpeech>["read"] }) {
  const [url, setUrl] = useState<string | null>(null);
  const [isFetched, setFetched] = useState(false);
  useEffect(() => () => URL.revokeObjectURL(url ?? ""), [url]);
  const listen = () => {
    setFetched(true);
    void read("listen", {}, ({ content }) => setUrl(URL.createObjectURL(content))).finally(() =>
      setFetched(false),
    );
  };
  if (url === null)
    return (
      <Button busy={isFetched} onClick={listen}>
        Listen
      </Button>
    );
  // biome-ignore lint/a11y/useMediaCaption: its subtitles are beside it
  return <audio controls autoPlay src={url} aria-label="The speech of this job" />;
}
