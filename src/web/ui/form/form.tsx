/** Forms: submit once at a time, and show validation errors at their fields or above the button. */
import {
  type ComponentProps,
  createContext,
  type ReactNode,
  type SubmitEvent,
  useContext,
  useId,
  useState,
} from "react";
import { ServerError } from "../../api/server.ts";
import { Button } from "../button.tsx";

const Problems = createContext<Record<string, string>>({});

type FormProps = {
  /** Values by field name; an unchecked checkbox is absent. */
  onSubmit: (values: Record<string, string>, all: FormData) => Promise<unknown>;
  submit: string;
  kind?: "primary" | "plain" | "danger";
  /** Rendered beside the submit button. */
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

type LabelProps = { label: string; hint?: ReactNode };

/** A field's label, hint and validation error, associated with it for assistive technology. */
function useField(name: string | undefined, { label, hint }: LabelProps) {
  const id = useId();
  const problem = useContext(Problems)[name ?? ""];
  const describedBy = [hint ? `${id}-hint` : "", problem ? `${id}-problem` : ""].filter(Boolean).join(" ");
  const attributes = {
    id,
    name,
    "aria-invalid": problem ? true : undefined,
    "aria-describedby": describedBy || undefined,
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
  return { attributes, before, after };
}

/** `inside`: a button at the end of the field. */
type FieldProps = LabelProps & ComponentProps<"input"> & { inside?: ReactNode };

export function Field({ label, hint, inside, ...input }: FieldProps) {
  const { attributes, before, after } = useField(input.name, { label, hint });
  const field = <input dir="auto" {...input} {...attributes} />;
  return (
    <div className="field">
      {before}
      {inside ? (
        <div className="inside">
          {field}
          {inside}
        </div>
      ) : (
        field
      )}
      {after}
    </div>
  );
}

/** In a bar of filters, one with a value stands out. */
export function Choice({ label, hint, children, ...select }: LabelProps & ComponentProps<"select">) {
  const { attributes, before, after } = useField(select.name, { label, hint });
  return (
    <div className={select.value ? "field chosen" : "field"}>
      {before}
      <select {...select} {...attributes}>
        {children}
      </select>
      {after}
    </div>
  );
}

export function TextArea({ label, hint, ...area }: LabelProps & ComponentProps<"textarea">) {
  const { attributes, before, after } = useField(area.name, { label, hint });
  return (
    <div className="field">
      {before}
      <textarea dir="auto" {...area} {...attributes} />
      {after}
    </div>
  );
}

export function Check({ label, hint, ...input }: LabelProps & ComponentProps<"input">) {
  const { attributes, before, after } = useField(input.name, { label, hint });
  return (
    <div className="field check">
      <input type="checkbox" {...input} {...attributes} />
      {before}
      {after}
    </div>
  );
}
