/** A conversation with a language model, by voice or in writing. The address may name it. */
import { useState } from "react";
import { useSearchParams } from "wouter";
import { conversationSnippets } from "../../api/snippets.ts";
import { apiBase } from "../../browser/addresses.ts";
import { talkTexts } from "../../language/en/talk.ts";
import { CopyButton } from "../../ui/button.tsx";
import { Card, Notice } from "../../ui/page.tsx";
import { bold, code } from "../../ui/rich.tsx";
import { StatusLine } from "../../ui/status-line.tsx";
import { type Access, useModels, useVoices } from "../access/catalogue.ts";
import { isMicrophoneOffered } from "../audio/capture.ts";
import { MicrophoneNotice } from "../audio/microphone-notice.tsx";
import { CodeDrawer } from "../output/code-drawer.tsx";
import { DialogueView } from "./dialogue-view.tsx";
import { TalkControls, WriteTurn } from "./talk-controls.tsx";
import { TalkOptions } from "./talk-options.tsx";
import { chosenConfig, DEFAULT_CONVERSATION, type TalkSettings } from "./talk-settings.ts";
import { useTalk } from "./use-talk.ts";

const ADD_MODEL = "loquat upstream add ollama --url http://127.0.0.1:11434 --api ollama --model qwen3:8b";

const FIRST: TalkSettings = {
  conversation: DEFAULT_CONVERSATION,
  ...{ voice: "", turnEnd: "server_vad", instructions: "", tellsTime: false },
};

export function TalkPanel({ access }: { access: Access }) {
  const [search] = useSearchParams();
  const named = search.get("conversation");
  const [settings, setSettings] = useState(named ? { ...FIRST, conversation: named } : FIRST);
  const { talk, state } = useTalk(settings);
  const models = useModels("tts", access).data;
  const voices = useVoices(models[0]?.id ?? null, access).data;
  const { client, isReady } = access;
  return (
    <div className="talk">
      <Card
        title={talkTexts()("title")}
        actions={
          <CodeDrawer
            snippets={() => conversationSnippets(apiBase(), settings.conversation, chosenConfig(settings))}
            note={talkTexts()("codeNote")}
          />
        }
      >
        {!isMicrophoneOffered() && <MicrophoneNotice />}
        {state.unknownName !== null && <NoLanguageModel name={state.unknownName} />}
        <TalkControls
          talk={talk}
          state={state}
          isHeld={settings.turnEnd === "none"}
          isReady={isReady}
          onStart={() => void talk.start(client)}
        />
        <StatusLine id="talk-status" message={state.message} />
        <DialogueView dialogue={state.dialogue} />
        <WriteTurn
          isReady={isReady && state.phase !== "opening"}
          onSay={(text) => void talk.say(client, text)}
        />
      </Card>
      <TalkOptions
        settings={settings}
        voices={voices}
        isOpen={state.phase !== "idle"}
        isHolding={state.isHolding}
        onChange={(changes) => setSettings((before) => ({ ...before, ...changes }))}
      />
    </div>
  );
}

const NoLanguageModel = ({ name }: { name: string }) => (
  <Notice tone="warn">
    <p>{talkTexts().rich("noConversation", { name, b: bold })}</p>
    <p>
      <code>{ADD_MODEL}</code> <CopyButton text={ADD_MODEL} />
    </p>
    <p>{talkTexts().rich("inContainer", { variable: "LOQUAT_LLM_URL=http://ollama:11434", code })}</p>
  </Notice>
);
