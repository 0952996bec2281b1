/** Makes a voice: a name, a recording, and the consent of the person who speaks in it. */
import { useEffect, useMemo, useState } from "react";
import type { Client } from "../api/public-api.ts";
import { refreshAll } from "../api/queries.ts";
import { ownVoicesTexts } from "../language/en/own-voices.ts";
import { refreshCatalogue } from "../playground/access/catalogue.ts";
import { Recorder } from "../playground/transcribe/recorder.tsx";
import { Choice, Field, TextArea } from "../ui/form/form.tsx";
import { FormDialog } from "../ui/form/form-dialog.tsx";

const SECONDS_MAX = 30;

export function NewVoice({ client, onClose }: { client: Client; onClose: () => void }) {
  const t = ownVoicesTexts();
  const [recording, setRecording] = useState<File | null>(null);
  const [spoken, setSpoken] = useState<File | null>(null);
  const [isSpoken, setIsSpoken] = useState(false);

  async function make({ name = "", consent = "" }: Record<string, string>) {
    if (!recording) throw new Error(t("needsRecording"));
    if (isSpoken && !spoken) throw new Error(t("needsConsent"));
    const form = new FormData();
    form.set("name", name);
    form.set("audio_sample", recording);
    form.set("consent", isSpoken && spoken ? spoken : consent);
    await client("/audio/voices", { method: "POST", body: form });
    refreshCatalogue();
    await refreshAll();
  }

  return (
    <FormDialog title={t("make")} submit={t("doMake")} onSubmit={make} onClose={onClose}>
      <Field name="name" label={t("name")} maxLength={100} autoComplete="off" required />
      <RecordedFile
        name="audio_sample"
        label={t("recording")}
        hint={t("recordingHint")}
        file={recording}
        onFile={setRecording}
      />
      <Choice
        label={t("agrees")}
        value={isSpoken ? "spoken" : "written"}
        onChange={(event) => setIsSpoken(event.target.value === "spoken")}
      >
        <option value="written">{t("inWriting")}</option>
        <option value="spoken">{t("inRecording")}</option>
      </Choice>
      {isSpoken ? (
        <RecordedFile
          name="consent"
          label={t("spokenConsent")}
          hint={t("spokenConsentHint")}
          file={spoken}
          onFile={setSpoken}
        />
      ) : (
        <TextArea
          name="consent"
          label={t("consent")}
          hint={t("consentHint")}
          rows={3}
          minLength={20}
          maxLength={2000}
          required
        />
      )}
    </FormDialog>
  );
}

type RecordedFileProps = {
  name: string;
  label: string;
  hint: string;
  file: File | null;
  onFile: (file: File) => void;
};

/** Recorded here, or a file that is there already; it can be played before it is sent. */
function RecordedFile({ name, label, hint, file, onFile }: RecordedFileProps) {
  const t = ownVoicesTexts();
  const url = useMemo(() => (file ? URL.createObjectURL(file) : null), [file]);
  useEffect(() => () => URL.revokeObjectURL(url ?? ""), [url]);
  return (
    <fieldset>
      <legend>{label}</legend>
      <p className="hint">{hint}</p>
      <Recorder id={`${name}-status`} secondsMax={SECONDS_MAX} onFile={onFile} />
      <Field
        name={`${name}-file`}
        label={t("fileOf", { label })}
        type="file"
        accept="audio/*,video/*"
        onChange={(event) => {
          const chosen = event.target.files?.[0];
          if (chosen) onFile(chosen);
        }}
      />
      {url && (
        // biome-ignore lint/a11y/useMediaCaption: what the speaker has just said
        <audio controls src={url} aria-label={t("toCheck", { label })} />
      )}
    </fieldset>
  );
}
