/** The settings of a conversation: with whom, by which voice, and how. */

import { languageName } from "../../format/language-name.ts";
import { speakTexts } from "../../language/en/speak.ts";
import { talkTexts } from "../../language/en/talk.ts";
import { Check, Choice, Field, TextArea } from "../../ui/form/form.tsx";
import { Card } from "../../ui/page.tsx";
import type { Voice } from "../access/catalogue.ts";
import { TurnChoice } from "../realtime/turn-choice.tsx";
import type { TalkSettings } from "./talk-settings.ts";

const TURN_ENDS = ["server_vad", "semantic_vad", "none"] as const;

type TalkOptionsProps = {
  settings: TalkSettings;
  voices: Voice[];
  /** The conversation is open: with whom cannot change any more. */
  isOpen: boolean;
  isHolding: boolean;
  onChange: (changes: Partial<TalkSettings>) => void;
};

export function TalkOptions({ settings, voices, isOpen, isHolding, onChange }: TalkOptionsProps) {
  const t = talkTexts();
  return (
    <Card title={t("settings")}>
      <div className="form">
        <Field
          name="talk-conversation"
          label={t("title")}
          hint={t("conversationHint")}
          autoComplete="off"
          spellCheck={false}
          value={settings.conversation}
          disabled={isOpen}
          onChange={(event) => onChange({ conversation: event.target.value })}
        />
        <Choice
          name="talk-voice"
          label={t("voice")}
          value={settings.voice}
          onChange={(event) => onChange({ voice: event.target.value })}
        >
          <option value="">{t("ofConversation")}</option>
          {voices.map(({ id, name, locale }) => (
            <option key={id} value={id}>
              {name}, {languageName(locale)}
            </option>
          ))}
        </Choice>
        <TurnChoice
          name="talk-turns"
          ends={TURN_ENDS}
          value={settings.turnEnd}
          isDisabled={isHolding}
          onChoose={(turnEnd) => onChange({ turnEnd })}
        />
        <TextArea
          name="talk-instructions"
          label={speakTexts()("instructions")}
          hint={t("instructionsHint")}
          rows={4}
          defaultValue={settings.instructions}
          onBlur={(event) => onChange({ instructions: event.target.value.trim() })}
        />
        <Check
          name="talk-time"
          label={t("offerTime")}
          checked={settings.tellsTime}
          onChange={(event) => onChange({ tellsTime: event.target.checked })}
        />
      </div>
    </Card>
  );
}
