/** The voices that the organization can speak with, and those that it has made: played, spoken with, and deleted. */

import { useState } from "react";
import { Link, useSearchParams } from "wouter";
import type { Client } from "../api/public-api.ts";
import { useRead, useWrite } from "../api/queries.ts";
import type { Reply } from "../api/server.ts";
import { useHasRole, useOrganization } from "../api/session.ts";
import { hrefOf } from "../browser/navigation.ts";
import { day } from "../format/times.ts";
import { libraryTexts } from "../language/en/library.ts";
import { refreshCatalogue } from "../playground/access/catalogue.ts";
import { ProjectChoice, useTestKey } from "../playground/access/test-key.tsx";
import { Button } from "../ui/button.tsx";
import { FormDialog } from "../ui/form/form-dialog.tsx";
import { Name } from "../ui/name.tsx";
import { Card, Page } from "../ui/page.tsx";
import { QueryBoundary } from "../ui/query-boundary.tsx";
import { StatusLine } from "../ui/status-line.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { type ClipPlayer, useClipPlayer } from "../ui/use-clip-player.ts";
import { Consents } from "./consents.tsx";
import { Library } from "./library/library.tsx";
import { NewBlend } from "./new-blend.tsx";
import { NewVoice } from "./new-voice.tsx";

type Voices = Reply<"GET /api/organizations/:organization/voices">;
type Voice = Voices["data"][number];

const CLONING: Record<Voices["cloning"], string> = {
  available: "A voice is made of a recording of 3 to 30 seconds. Only this organization can use it.",
  disabled: "The operator of this server has switched voice cloning off: voices cannot be made or used.",
  not_installed:
    "No installed model makes voices of recordings. The operator of this server can install one on the page Models.",
};

export function Voices() {
  const { id } = useOrganization();
  const t = libraryTexts();
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
    ...COLUMNS,
    actions({ organization: id, isAdmin, client: access.client, player, onRemove: setRemoved }),
  ];
  return (
    <Page
      title={t("title")}
      actions={
        tab === "own" &&
        hasRoom && (
          <>
            {blending.length > 0 && <Button onClick={() => setMaking("blend")}>Blend voices</Button>}
            {cloning === "available" && (
              <Button kind="primary" onClick={() => setMaking("recording")}>
                Make a voice
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
          <div className="panel" lang="en" dir="ltr">
            <Card title="Voices of this organization" actions={<ProjectChoice {...projects} />}>
              <QueryBoundary of={voices}>
                {({ data, cloning }) => (
                  <>
                    <p className="hint">
                      {CLONING[cloning]}
                      {blending.length > 0 && " Voices of a model can be blended, without a recording."}
                    </p>
                    <Table
                      caption="Voices"
                      columns={columns}
                      rows={data}
                      keyOf={(voice) => voice.id}
                      empty="No voices yet."
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

const COLUMNS: Column<Voice>[] = [
  {
    name: "Name",
    of: ({ name }) => (
      <strong>
        <Name of={name} />
      </strong>
    ),
  },
  { name: "Id", of: ({ id }) => <code>{id}</code> },
  { name: "Made of", of: madeOf },
  { name: "Made on", of: ({ created_at }) => day(created_at) },
];

function madeOf({ duration_seconds, blend }: Voice): string {
  if (blend !== null) return blend;
  return duration_seconds === null ? "a recording" : `${duration_seconds.toFixed(1)} s of recording`;
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
  name: "Actions",
  isActions: true,
  of: (voice) => (
    <span className="changes">
      {voice.kind === "recording" && (
        <Button
          aria-label={`${player.active?.id === voice.id ? "Stop" : "Play"} the recording of ${voice.name}`}
          onClick={() => player.toggle(voice.id, (signal) => sourceOf(voice, { client, signal }))}
        >
          {player.active?.id === voice.id ? "Stop" : "Play"}
        </Button>
      )}
      <Link
        className="button"
        aria-label={`Speak with ${voice.name}`}
        href={hrefOf(organization, `playground?model=${voice.model}&voice=${voice.id}`)}
      >
        Speak
      </Link>
      {isAdmin && (
        <Button kind="danger" aria-label={`Delete ${voice.name}`} onClick={() => onRemove(voice)}>
          Delete
        </Button>
      )}
    </span>
  ),
});

function Remove({ of: { id: voice, name, kind }, onClose }: { of: Voice; onClose: () => void }) {
  const { id: organization } = useOrganization();
  const { mutateAsync: remove } = useWrite("DELETE /api/organizations/:organization/voices/:voice");
  return (
    <FormDialog
      kind="danger"
      title={`Delete ${name}?`}
      submit="Delete"
      onSubmit={async () => {
        await remove({ ids: { organization, voice } });
        refreshCatalogue();
      }}
      onClose={onClose}
    >
      <p>
        {kind === "recording" && "The recording and the consent are deleted too. "}
        Requests with this voice are refused from then on.
      </p>
    </FormDialog>
  );
}
