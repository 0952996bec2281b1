/** The transcript of a job: read when its page is opened or, where it can be read once, when it is asked for. */

import { useEffect, useMemo } from "react";
import { isUnfinished } from "../../job-statuses.ts";
import { useWrite } from "../api/queries.ts";
import type { Reply } from "../api/server.ts";
import { useOrganization } from "../api/session.ts";
import { jobsTexts } from "../language/en/jobs.ts";
import { TranscriptExport } from "../playground/output/transcript-export.tsx";
import { PlainTranscript } from "../playground/transcribe/transcript.tsx";
import { cuesOf, readTranscription } from "../playground/transcribe/transcription.ts";
import { Button } from "../ui/button.tsx";
import { Card, Notice } from "../ui/page.tsx";
import { Failure, Loading } from "../ui/query-boundary.tsx";
import type { Job } from "./job.ts";
import { JobSpeech } from "./job-speech.tsx";

const ROUTE = "POST /api/organizations/:organization/jobs/:job/transcript";

/** What was read is in this component alone: it is gone with the page. */
export function JobResult({ of: job }: { of: Job }) {
  const t = jobsTexts();
  const { id: organization } = useOrganization();
  const { mutate, data, error, isPending } = useWrite(ROUTE);
  const { id, status, read_once: isReadOnce } = job;
  const read = () => mutate({ ids: { organization, job: id } });
  const isShown = status === "completed" && !isReadOnce && job.chapters === null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when there is a result
  useEffect(() => {
    if (isShown) read();
  }, [isShown]);
  if (job.chapters !== null) return <JobSpeech of={job} chapters={job.chapters} />;
  if (isUnfinished(job) || status === "failed" || status === "cancelled") return null;
  return (
    <Card title={t("transcript")}>
      {data && <Read of={data} job={job} />}
      {!data && error && <Failure error={error} retry={read} />}
      {!data && !error && status === "expired" && <p className="empty">{t("hasExpired")}</p>}
      {!data && !error && isShown && <Loading />}
      {!data && !error && status === "completed" && isReadOnce && (
        <>
          <p>{t("readOnceText")}</p>
          <div className="actions">
            <Button kind="primary" busy={isPending} onClick={read}>
              {t("readOnce")}
            </Button>
          </div>
        </>
      )}
    </Card>
  );
}

function Read({ of: body, job: { id, read_once: isReadOnce } }: { of: Reply<typeof ROUTE>; job: Job }) {
  const t = jobsTexts();
  const result = useMemo(() => readTranscription(JSON.stringify(body), "verbose_json"), [body]);
  const cues = useMemo(() => cuesOf(result), [result]);
  const { warnings = [] } = body;
  return (
    <>
      {isReadOnce && (
        <Notice tone="warn">
          <p>{t("isDeleted")}</p>
        </Notice>
      )}
      {warnings.map((warning) => (
        <Notice key={warning} tone="warn">
          <p lang="en">{warning}</p>
        </Notice>
      ))}
      {result.text === "" ? <p className="empty">{t("noSpeech")}</p> : <PlainTranscript result={result} />}
      <TranscriptExport name={id} text={result.text} cues={cues} json={result.response} />
    </>
  );
}
