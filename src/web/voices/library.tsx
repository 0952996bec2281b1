/** All voices that this organization can speak with: found by words and language, and heard before one is chosen. */
import { useState } from "react";
import { Link } from "wouter";
import { useOrganization, useSession } from "../api/session.ts";
import { hrefOf } from "../browser/navigation.ts";
import { languageName } from "../format/language-name.ts";
import { count } from "../format/numbers.ts";
import { type Access, type Model, useModels, useVoices, type Voice } from "../playground/access/catalogue.ts";
import { SampleButton } from "../playground/voices/sample-button.tsx";
import { useVoiceSamples } from "../playground/voices/use-voice-samples.ts";
import { describeVoice, isVoiceLike } from "../playground/voices/voice-words.ts";
import { FilterChoice } from "../ui/form/filter-choice.tsx";
import { Field } from "../ui/form/form.tsx";
import { Card } from "../ui/page.tsx";
import { StatusLine } from "../ui/status-line.tsx";

export function Library({ access }: { access: Access }) {
  const models = useModels("tts", access).data;
  const [chosen, setChosen] = useState("");
  const model = models.find(({ id }) => id === chosen) ?? models[0];
  const voices = useVoices(model?.id ?? null, access).data;
  const [search, setSearch] = useState("");
  const [language, setLanguage] = useState("");
  const languages = [...new Set(voices.map((voice) => voice.language))];
  const found = voices.filter(
    (voice) => (language === "" || voice.language === language) && isVoiceLike(voice, search),
  );
  return (
    <>
      <section className="filters" aria-label="Filters">
        <Field
          type="search"
          label="Find"
          placeholder="Name, language, style"
          value={search}
          autoComplete="off"
          onChange={(event) => setSearch(event.target.value)}
        />
        <FilterChoice
          label="Language"
          value={language}
          options={languages.map((id) => ({ id, name: languageName(id) }))}
          onChoose={setLanguage}
        />
        {models.length > 1 && (
          <FilterChoice
            label="Model"
            value={model === models[0] ? "" : chosen}
            options={models.slice(1)}
            unset={models[0]!.name}
            onChoose={setChosen}
          />
        )}
      </section>
      {model && <Shown access={access} model={model} voices={found} />}
    </>
  );
}

type ShownProps = { access: Access; model: Model; voices: Voice[] };

function Shown({ access: { client, owner }, model, voices }: ShownProps) {
  const { id } = useOrganization();
  const { operator } = useSession().user;
  const samples = useVoiceSamples({ client, owner, model, onStart: () => {} });
  return (
    <Card
      title={voices.length === 1 ? "1 voice" : `${count(voices.length)} voices`}
      actions={operator && <Link href="/operator/models?kind=voices">Install more voices</Link>}
    >
      <ul className="library">
        {voices.map((voice) => (
          <li key={voice.id}>
            <SampleButton voice={voice} samples={samples} />
            <span className="names">
              <strong>
                <bdi>{voice.name}</bdi>
              </strong>
              <small>
                {[languageName(voice.language), describeVoice(voice)].filter(Boolean).join(" · ")}
              </small>
            </span>
            <Link
              className="button"
              aria-label={`Use ${voice.name}`}
              href={hrefOf(id, `playground?model=${model.id}&voice=${voice.id}`)}
            >
              Use
            </Link>
          </li>
        ))}
      </ul>
      {voices.length === 0 && <p className="empty">No voice matches.</p>}
      <p className="hint">A sample is spoken once, then kept in this browser.</p>
      <StatusLine id="sample-status" message={samples.message} />
    </Card>
  );
}
