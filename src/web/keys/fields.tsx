/** The form fields shared by creating and editing a key. */
import { useState } from "react";
import { SCOPES, type Scope, USUAL_SCOPES } from "../../scopes.ts";
import { moment } from "../format/times.ts";
import { Check, Choice, Field } from "../ui/form/form.tsx";
import type { Key, Project } from "./key.ts";

const DESCRIPTIONS: Record<Scope, string> = {
  "speech:create": "text to speech",
  "transcription:create": "speech to text, from files",
  "realtime:connect": "speech to text, live",
  "catalog:read": "list models and voices",
  "voice:create": "make and delete voices of your own",
  "webhook:manage": "manage webhook endpoints of the project",
};

const DAYS = [30, 90, 365];

/** Null for a new key. */
export function KeyFields({ of: key }: { of: Key | null }) {
  return (
    <>
      <fieldset>
        <legend>Scopes</legend>
        {SCOPES.map((scope) => (
          <Check
            key={scope}
            name="scope"
            value={scope}
            label={`${scope}: ${DESCRIPTIONS[scope]}`}
            defaultChecked={(key?.scopes ?? USUAL_SCOPES).includes(scope)}
          />
        ))}
      </fieldset>
      <Expiry of={key} />
    </>
  );
}

/** When a key expires; null for a new one. */
export function Expiry({ of: key }: { of: Key | null }) {
  const [expiry, setExpiry] = useState(key ? "unchanged" : "never");
  return (
    <>
      <Choice
        name="expiry"
        label="Expires"
        value={expiry}
        onChange={(event) => setExpiry(event.target.value)}
      >
        {key && (
          <option value="unchanged">
            Unchanged: {key.expires_at === null ? "never" : moment(key.expires_at)}
          </option>
        )}
        {key?.expires_at !== null && <option value="never">Never</option>}
        {DAYS.map((days) => (
          <option key={days} value={days}>
            In {days} days
          </option>
        ))}
        <option value="date">On a date</option>
      </Choice>
      {expiry === "date" && (
        <Field name="date" label="Last day" type="date" min={isoDay(new Date())} required />
      )}
    </>
  );
}

/** The projects that a key can be made in. */
export function ProjectChoice({ of: projects }: { of: Project[] }) {
  return (
    <Choice name="project" label="Project">
      {projects
        .filter(({ status }) => status === "active")
        .map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
    </Choice>
  );
}

export function EnvironmentChoice() {
  return (
    <Choice
      name="environment"
      label="Environment"
      hint="Live and test keys work and cost the same. Usage and requests are reported separately."
    >
      <option value="live">Live</option>
      <option value="test">Test</option>
    </Choice>
  );
}

export const environmentOf = ({ environment }: Record<string, string>): "live" | "test" =>
  environment === "live" ? "live" : "test";

export const scopesOf = (all: FormData): Scope[] => all.getAll("scope") as Scope[];

/** Unix seconds; null for never, undefined for unchanged. */
export function expiryOf({ expiry = "never", date = "" }: Record<string, string>): number | null | undefined {
  if (expiry === "unchanged") return undefined;
  if (expiry === "never") return null;
  if (expiry === "date") return Math.floor(new Date(`${date}T23:59:59`).getTime() / 1000);
  const end = new Date();
  return Math.floor(end.setDate(end.getDate() + Number(expiry)) / 1000);
}

/** A date in the browser's time zone. */
const isoDay = (date: Date): string =>
  [date.getFullYear(), date.getMonth() + 1, date.getDate()]
    .map((part) => String(part).padStart(2, "0"))
    .join("-");
