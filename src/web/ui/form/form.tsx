/** A form: sends once at a time, and says at each field, or above the button, what the server would not take. */
import {
  type ComponentProps,
  createContext,
  type ReactNode,
  type SubmitEvent,
  useContext,
  useId,
  useState,
} from "react";
import { ServerError } from "../../lib/server.ts";
import { Button } from "../button.tsx";

const Problems = createContext<Record<string, string>>({});

type FormProps = {
  /** The values by the fields' names; a checkbox that is off is absent. */
  onSubmit: (values: Record<string, string>, all: FormData) => Promise<unknown>;
  submit: string;
  kind?: "primary" | "danger";
  /** Beside the button. */
  actions?: ReactNode;
  children?: ReactNode;
};

export function Form({ onSubmit, submit, kind = "primary", actions, children }: FormProps) {
  const [error, setError] = useState<Error | null>(null);
  const [busy, setBusy] = useState(false);
  async function send(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    const all = new FormData(event.currentTarget);
    setBusy(true);
    setError(null);
    try {
      await onSubmit(Object.fromEntries([...all].map(([name, value]) => [name, String(value)])), all);
    } catch (thrown) {
      setError(thrown as Error);
    } finally {
      setBusy(false);
    }
  }
  const fields = error instanceof ServerError ? error.fields : {};
  return (
    <form onSubmit={(event) => void send(event)} className="form">
      <Problems value={fields}>{children}</Problems>
      {error && (
        <p role="alert" className="problem">
          {error.message}
        </p>
      )}
      <div className="actions">
        <Button type="submit" kind={kind} busy={busy}>
          {submit}
        </Button>
        {actions}
      </div>
    </form>
  );
}

type Labelled = { label: string; hint?: ReactNode };

/** What a field is called, what it means, and what is wrong with it, tied to it for those who do not see it. */
function useField(name: string | undefined, { label, hint }: Labelled) {
  const id = useId();
  const problem = useContext(Problems)[name ?? ""];
  const about = [hint ? `${id}-hint` : "", problem ? `${id}-problem` : ""].filter(Boolean).join(" ");
  const tied = {
    id,
    name,
    "aria-invalid": problem ? true : undefined,
    "aria-describedby": about || undefined,
  };
  const before = <label htmlFor={id}>{label}</label>;
  const after = (
    <>
      {hint && (
        <p id={`${id}-hint`} className="hint">
          {hint}
        </p>
      )}
      {problem && (
        <p id={`${id}-problem`} className="problem">
          {problem}
        </p>
      )}
    </>
  );
  return { tied, before, after };
}

export function Field({ label, hint, ...input }: Labelled & ComponentProps<"input">) {
  const { tied, before, after } = useField(input.name, { label, hint });
  return (
    <div className="field">
      {before}
      <input {...input} {...tied} />
      {after}
    </div>
  );
}

export function Choice({ label, hint, children, ...select }: Labelled & ComponentProps<"select">) {
  const { tied, before, after } = useField(select.name, { label, hint });
  return (
    <div className="field">
      {before}
      <select {...select} {...tied}>
        {children}
      </select>
      {after}
    </div>
  );
}

export function Check({ label, hint, ...input }: Labelled & ComponentProps<"input">) {
  const { tied, before, after } = useField(input.name, { label, hint });
  return (
    <div className="field check">
      <input type="checkbox" {...input} {...tied} />
      {before}
      {after}
    </div>
  );
}
