/** Samples of the voices that speak now, built in or installed, spoken with a test key. */
import { useEffect, useState } from "react";
import { SESSION, useRead } from "../api/queries.ts";
import { languageName, primaryOf } from "../format/language-name.ts";
import { libraryTexts } from "../language/en/library.ts";
import {
  type Access,
  refreshCatalogue,
  useModels,
  useVoices,
  type Voice,
} from "../playground/access/catalogue.ts";
import { useTestAccess } from "../playground/access/test-key.tsx";
import { SampleButton } from "../playground/voices/sample-button.tsx";
import { useVoiceSamples } from "../playground/voices/use-voice-samples.ts";
import { Button } from "../ui/button.tsx";
import { StatusLine } from "../ui/status-line.tsx";

/** So many at first. */
const FIRST = 6;

export function VoiceSamples({ organization }: { organization: string }) {
  const access = useAccess(organization);
  const model = useModels("tts", access).data[0];
  const voices = useVoices(model?.id ?? null, access).data;
  const { client, owner } = access;
  const samples = useVoiceSamples({ client, owner, model, onStart: () => {} });
  const [isAll, setAll] = useState(false);
  const shown = isAll ? voices : firstFor(navigator.languages, voices).slice(0, FIRST);
  useRefresh();
  return (
    <>
      <ul className="set-up-voices">
        {shown.map((voice) => (
          <li key={voice.id}>
            <span>
              {voice.name} <small>{languageName(voice.language)}</small>
            </span>
            <SampleButton voice={voice} samples={samples} />
          </li>
        ))}
      </ul>
      {shown.length < voices.length && (
        <div className="actions">
          <Button kind="quiet" onClick={() => setAll(true)}>
            {libraryTexts()("showAll", { count: voices.length })}
          </Button>
        </div>
      )}
      <StatusLine id="sample-status" message={samples.message} />
    </>
  );
}

/** In the order of the languages, then others. */
function firstFor(languages: readonly string[], voices: Voice[]): Voice[] {
  const wanted = languages.map(primaryOf);
  const rank = ({ language }: Voice) => wanted.indexOf(language) + 1 || wanted.length + 1;
  return voices.toSorted((a, b) => rank(a) - rank(b));
}

/** A test key of the organization's first project. */
function useAccess(organization: string): Access {
  const user = useRead(SESSION, {}).data?.user.id ?? "";
  const projects = useRead("GET /api/organizations/:organization/projects", { ids: { organization } });
  const project = projects.data?.data.find(({ status }) => status === "active")?.id;
  return useTestAccess({ user, project }).access;
}

/** An installed package speaks in place of a built-in voice. */
function useRefresh(): void {
  const packages = useRead("GET /api/operator/models", {}).data?.data ?? [];
  const installed = packages.map(({ name, installed_version }) => `${name} ${installed_version}`).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever what is installed changes
  useEffect(refreshCatalogue, [installed]);
}
