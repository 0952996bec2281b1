/** Two voices of the library, which speak the same sentence in turn. */

import { useState } from "react";
import { libraryTexts } from "../../language/en/library.ts";
import type { Voice } from "../../playground/access/catalogue.ts";
import { SampleButton } from "../../playground/voices/sample-button.tsx";
import type { VoiceSamples } from "../../playground/voices/use-voice-samples.ts";
import { sampleOf } from "../../samples/sample-texts.ts";
import { Button } from "../../ui/button.tsx";
import { Field } from "../../ui/form/form.tsx";
import { Card } from "../../ui/page.tsx";
import { colourOf } from "./voice-card.tsx";

const SENTENCE_MAX = 300;

type ComparedVoicesProps = { voices: Voice[]; samples: VoiceSamples; onClose: () => void };

export function ComparedVoices({ voices, samples, onClose }: ComparedVoicesProps) {
  const t = libraryTexts();
  const [typed, setTyped] = useState<string | null>(null);
  const [first] = voices;
  const sentence = typed ?? sampleOf(first?.language ?? "en").voice;
  return (
    <Card title={t("compare")} actions={<Button onClick={onClose}>{t("close")}</Button>}>
      <Field
        label={t("sentence")}
        name="sentence"
        dir="auto"
        maxLength={SENTENCE_MAX}
        value={sentence}
        onChange={(event) => setTyped(event.target.value)}
      />
      <ul className="library compared">
        {voices.map((voice) => (
          <li key={voice.id} style={colourOf(voice.id)}>
            <SampleButton voice={voice} samples={samples} sentence={sentence} />
            <strong>
              <bdi>{voice.name}</bdi>
            </strong>
          </li>
        ))}
      </ul>
      {voices.length === 1 && <p className="hint">{t("chooseSecond")}</p>}
    </Card>
  );
}
