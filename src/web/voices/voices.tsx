/** The voices that the organization can speak with, and those that it has made: played, spoken with, and deleted. */

import { useState } from "react";
import { Link, useSearchParams } from "wouter";
import type { Client } from "../api/public-api.ts";
import { useRead, useWrite } from "../api/queries.ts";
import type { Reply } from "../api/server.ts";
import { useHasRole, useOrganization } from "../api/session.ts";
import { hrefOf } from "../browser/navigation.ts";
import { oneDecimal } from "../format/numbers.ts";
import { day } from "../format/times.ts";
import { libraryTexts } from "../language/en/library.ts";
import { ownVoicesTexts } from "../language/en/own-voices.ts";
import { speakTexts } from "../language/en/speak.ts";
import { refreshCatalogue } from "../playground/access/catalogue.ts";
import { ProjectChoice, useTestKey } from "../playground/access/test-key.tsx";
import { Button } from "../ui/button.tsx";
import { FormDialog } from "../ui/form/form-dialog.tsx";
import { Card, Page } from "../ui/page.tsx";
import { QueryBoundary } from "../ui/query-boundary.tsx";
import { StatusLine } from "../ui/status-line.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { type ClipPlayer, useClipPlayer } from "../ui/use-clip-player.ts";
import { Consents } from "./consents.tsx";
import { Library } from "./library/library.tsx";
import { nameAndId } from "./name-and-id.tsx";
import { NewBlend } from "./new-blend.tsx";
import { NewVoice } from "./new-voice.tsx";

type Voices = Reply<"GET /api/organizations/:organization/voices">;
type Voice = Voices["data"][number];

const CLONING = {
  available: "cloning",
  disabled: "cloningOff",
  not_installed: "cloningMissing",
} as const satisfies Record<Voices["cloning"], string>;

export function Voices() {
  const { id } = useOrganization();
  const t = libraryTexts();
  const own = ownVoicesTexts();
  const isAdmin = useHasRole("admin");
  const [making, setMaking] = useState<Voice["kind"] | null>(null);
  const [removed, setRemoved] = useState<Voice | null>(null);
  const { access, projects } = useTestKey();
  const player = useClipPlayer();
  const [search, setSearch] = useSearchParams();
  const tab = search.get("tab") === "own" ? "own" : "library";
  const voices = useRead("GET /api/organizations/:organization/voices", { ids: { organization: id } });
  const { data = [], voices_max = 0, cloning, blending = [] } = voices.data ?? {};
  const hasRoom = data.length < voices_max;
  const columns = [
    ...columnsOfVoices(),
    actions({ organization: id, isAdmin, client: access.client, player, onRemove: setRemoved }),
  ];
  return (
    <Page
      title={t("title")}
      actions={
        tab === "own" &&
        hasRoom && (
          <>
            {blending.length > 0 && <Button onClick={() => setMaking("blend")}>{own("blend")}</Button>}
            {cloning === "available" && (
              <Button kind="primary" onClick={() => setMaking("recording")}>
                {own("make")}
              </Button>
            )}
          </>
        )
      }
    >
      <Tabs
        id="voices"
        label={t("title")}
        names={TABS}
        chosen={tab}
        onChoose={(name) => setSearch(name === "own" ? { tab: name } : {})}
        panelOf={() => "voices-panel"}
      >
        {(name) => (name === "library" ? t("allVoices") : ownText(data.length))}
      </Tabs>
      <div role="tabpanel" id="voices-panel" aria-labelledby={`voices-${tab}`} className="panel">
        {tab === "library" && <Library access={access} />}
        {tab === "own" && (
          <div className="panel">
            <Card title={own("title")} actions={<ProjectChoice {...projects} />}>
              <QueryBoundary of={voices}>
                {({ data, cloning }) => (
                  <>
                    <p className="hint">
                      {own(CLONING[cloning])} {blending.length > 0 && own("canBlend")}
                    </p>
                    <Table
                      caption={t("title")}
                      columns={columns}
                      rows={data}
                      keyOf={(voice) => voice.id}
                      empty={own("none")}
                    />
                  </>
                )}
              </QueryBoundary>
              <StatusLine id="recording-status" message={player.message} />
            </Card>
            <Consents access={access} player={player} />
          </div>
        )}
      </div>
      {making === "recording" && <NewVoice client={access.client} onClose={() => setMaking(null)} />}
      {making === "blend" && <NewBlend access={access} blending={blending} onClose={() => setMaking(null)} />}
      {removed && <Remove of={removed} onClose={() => setRemoved(null)} />}
    </Page>
  );
}

const TABS = ["library", "own"] as const;

function ownText(count: number): string {
  const t = libraryTexts();
  return count > 0 ? t("ownCount", { count }) : t("own");
}

function columnsOfVoices(): Column<Voice>[] {
  const t = ownVoicesTexts();
  return [
    ...nameAndId(),
    { name: t("madeOf"), of: madeOf },
    { name: t("madeOn"), of: ({ created_at }) => day(created_at) },
  ];
}

function madeOf({ duration_seconds, blend }: Voice): string {
  if (blend !== null) return blend;
  const t = ownVoicesTexts();
  if (duration_seconds === null) return t("aRecording");
  return t("ofRecording", { seconds: oneDecimal(duration_seconds) });
}

type Fetching = { client: Client; signal: AbortSignal };

const sourceOf = async ({ id }: Voice, { client, signal }: Fetching): Promise<Blob> =>
  (await client(`/audio/voices/${id}/recording`, { signal })).blob();

type ActionsProps = {
  organization: string;
  isAdmin: boolean;
  client: Client;
  player: ClipPlayer;
  onRemove: (voice: Voice) => void;
};

const actions = ({ organization, isAdmin, client, player, onRemove }: ActionsProps): Column<Voice> => ({
  name: ownVoicesTexts()("actions"),
  isActions: true,
  of: (voice) => (
    <span className="changes">
      {voice.kind === "recording" && (
        <Button
          aria-label={ownVoicesTexts()(player.active?.id === voice.id ? "stopRecording" : "playRecording", {
            name: voice.name,
          })}
          onClick={() => player.toggle(voice.id, (signal) => sourceOf(voice, { client, signal }))}
        >
          {ownVoicesTexts()(player.active?.id === voice.id ? "stop" : "play")}
        </Button>
      )}
      <Link
        className="button"
        aria-label={ownVoicesTexts()("speakWith", { name: voice.name })}
        href={hrefOf(organization, `playground?model=${voice.model}&voice=${voice.id}`)}
      >
        {speakTexts()("speak")}
      </Link>
      {isAdmin && (
        <Button
          kind="danger"
          aria-label={ownVoicesTexts()("deleteName", { name: voice.name })}
          onClick={() => onRemove(voice)}
        >
          {ownVoicesTexts()("delete")}
        </Button>
      )}
    </span>
  ),
});

function Remove({ of: { id: voice, name, kind }, onClose }: { of: Voice; onClose: () => void }) {
  const t = ownVoicesTexts();
  const { id: organization } = useOrganization();
  const { mutateAsync: remove } = useWrite("DELETE /api/organizations/:organization/voices/:voice");
  return (
    <FormDialog
      kind="danger"
      title={t("deleteTitle", { name })}
      submit={t("delete")}
      onSubmit={async () => {
        await remove({ ids: { organization, voice } });
        refreshCatalogue();
      }}
      onClose={onClose}
    >
      <p>
        {kind === "recording" && t("deleteRecording")} {t("deleteText")}
      </p>
    </FormDialog>
  );
}
