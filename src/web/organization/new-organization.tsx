/** Making an organization: whoever makes it owns it. */
import { useLocation } from "wouter";
import { hrefOf } from "../lib/navigation.ts";
import { useWrite } from "../lib/queries.ts";
import { Field, Form } from "../ui/form/form.tsx";
import { Card } from "../ui/page.tsx";

export function NewOrganization({ title }: { title: string }) {
  const { mutateAsync: make } = useWrite("POST /api/organizations");
  const [, go] = useLocation();
  return (
    <Card title={title}>
      <p>
        An organization has its own people, projects, keys, usage and credit. Only the first one starts with
        credit.
      </p>
      <Form
        submit="Make the organization"
        onSubmit={async ({ name = "" }) => {
          const { id } = await make({ body: { name } });
          go(hrefOf(id, "overview"));
        }}
      >
        <Field name="name" label="Name" maxLength={100} autoComplete="organization" required />
      </Form>
    </Card>
  );
}
