/** Adds a server by its address and its kind: it is asked for its models and voices. */
import { useState } from "react";
import { useWrite } from "../../api/queries.ts";
import { Check, Choice, Field } from "../../ui/form/form.tsx";
import { FormDialog } from "../../ui/form/form-dialog.tsx";
import { Notice } from "../../ui/page.tsx";
import type { Upstreams } from "./upstream.ts";

type AddUpstreamProps = { presets: Upstreams["presets"]; onClose: () => void };

export function AddUpstream({ presets, onClose }: AddUpstreamProps) {
  const add = useWrite("POST /api/operator/upstreams");
  const [preset, setPreset] = useState("");
  const chosen = presets.find(({ name }) => name === preset);
  return (
    <FormDialog
      title="Add an upstream"
      onClose={onClose}
      submit="Add"
      onSubmit={({ name = "", urls = "", key_env = "", models = "", voices = "", follow = "" }) =>
        add.mutateAsync({
          body: {
            ...{ name, preset, urls: wordsOf(urls), models: wordsOf(models), voices: wordsOf(voices) },
            ...{ key_env: key_env || null, follow: follow !== "" },
          },
        })
      }
    >
      <Field
        name="name"
        label="Name"
        hint="Of your choice, such as gpu: small letters, digits and hyphens."
        maxLength={64}
        required
      />
      <Choice
        name="preset"
        label="Kind of server"
        value={preset}
        onChange={(event) => setPreset(event.target.value)}
        required
      >
        <option value="">Choose one</option>
        {presets.map(({ name, title }) => (
          <option key={name} value={name}>
            {title}
          </option>
        ))}
      </Choice>
      {chosen?.leaves_host && (
        <Notice tone="warn">
          <p>
            Texts and recordings go to another company, and so does what callers say to its language models.
          </p>
        </Notice>
      )}
      <Details />
    </FormDialog>
  );
}

/** Where it is, its key, and what of it is offered. */
function Details() {
  return (
    <>
      <Field
        name="urls"
        label="Addresses"
        hint="Such as http://10.0.0.5:8880; several with spaces between them share the load."
        maxLength={2000}
        required
      />
      <Field
        name="key_env"
        label="Variable of its key"
        hint="The environment variable of this server that holds its key. It begins with UPSTREAM_."
        maxLength={128}
      />
      <Field
        name="models"
        label="Models"
        hint="Only these, with spaces between them; empty: all that it lists."
      />
      <Field name="voices" label="Voices" hint="Only these; empty: all that it lists." />
      <Check
        name="follow"
        label="Follow its list"
        hint="It is asked every ten minutes, and what it lists then is offered. Not with named models."
      />
    </>
  );
}

const wordsOf = (text: string): string[] => text.split(/\s/).filter((word) => word !== "");
