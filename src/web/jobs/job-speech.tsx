/** What a job has spoken: heard and downloaded, the whole or a chapter, with its subtitles. */
import { useEffect, useState } from "react";
import { useOrganization } from "../api/session.ts";
import { useDownload } from "../api/use-download.ts";
import { byteSize, seconds } from "../format/numbers.ts";
import { jobsTexts } from "../language/en/jobs.ts";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/page.tsx";
import { Failure } from "../ui/query-boundary.tsx";
import type { Job } from "./job.ts";

const ROUTE = "POST /api/organizations/:organization/jobs/:job/speech";

type Chapters = NonNullable<Job["chapters"]>;
/** The name of what is fetched to be heard. */
const LISTEN = "listen";

type Asked = { chapter?: number; format?: "vtt" | "srt" };

function useSpeech(job: string) {
  const { id: organization } = useOrganization();
  const { busy, failure, ...files } = useDownload(ROUTE);
  const inputOf = (body: Asked) => ({ ids: { organization, job }, body });
  return {
    ...{ busy, failure },
    download: (name: string, asked: Asked) => files.download(name, inputOf(asked)),
    listen: (use: (sound: Blob) => void) =>
      void files.read(LISTEN, inputOf({}), ({ content }) => use(content)),
  };
}

export function JobSpeech({ of: job, chapters }: { of: Job; chapters: Chapters }) {
  const t = jobsTexts();
  const { status, output, read_once: isReadOnce } = job;
  const { busy, failure, download, listen } = useSpeech(job.id);
  const isDone = status === "completed";
  const format = job.response_format.toUpperCase();
  return (
    <Card title={t("speech")}>
      {isDone && isReadOnce && <p>{t("onceText")}</p>}
      {status === "expired" && <p className="empty">{t("hasExpired")}</p>}
      {failure && <Failure {...failure} />}
      {isDone && (
        <div className="actions">
          <Button kind="primary" busy={busy === "all"} onClick={() => download("all", {})}>
            {output
              ? t("downloadSize", { format, size: byteSize(output.bytes) })
              : t("downloadAs", { format })}
          </Button>
          {(["vtt", "srt"] as const).map((each) => (
            <Button key={each} busy={busy === each} onClick={() => download(each, { format: each })}>
              {t("subtitles", { format: each.toUpperCase() })}
            </Button>
          ))}
          {!isReadOnce && job.response_format !== "pcm" && <Listen busy={busy === LISTEN} listen={listen} />}
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
                  aria-label={t("downloadChapter", { number: index + 1 })}
                  onClick={() => download(`${index}`, { chapter: index + 1 })}
                >
                  {t("download")}
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
  const t = jobsTexts();
  return (
    <span>
      <bdi>{title === "" ? t("untitled") : title}</bdi>{" "}
      <small>
        {start === null || end === null
          ? t("notSpoken", { count: characters })
          : t("fromTo", { start: seconds(start), end: seconds(end) })}
      </small>
    </span>
  );
}

type ListenProps = { busy: boolean; listen: ReturnType<typeof useSpeech>["listen"] };

/** The whole is fetched first, and is gone with the page. */
function Listen({ busy, listen }: ListenProps) {
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => () => URL.revokeObjectURL(url ?? ""), [url]);
  if (url === null)
    return (
      <Button busy={busy} onClick={() => listen((sound) => setUrl(URL.createObjectURL(sound)))}>
        {jobsTexts()("listen")}
      </Button>
    );
  // biome-ignore lint/a11y/useMediaCaption: its subtitles are beside it
  return <audio controls autoPlay src={url} aria-label={jobsTexts()("player")} />;
}
