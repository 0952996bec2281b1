/** Creates an organization, owned by the user. */
import { useLocation } from "wouter";
import { useWrite } from "../api/queries.ts";
import { useSession } from "../api/session.ts";
import { hrefOf } from "../browser/navigation.ts";
import { Field, Form } from "../ui/form/form.tsx";
import { Card } from "../ui/page.tsx";

export function NewOrganization({ title }: { title: string }) {
  const { mutateAsync: create } = useWrite("POST /api/organizations");
  const [, navigate] = useLocation();
  const { operator } = useSession().user;
  return (
    <Card title={title}>
      <p>
        An organization has its own members, projects, keys and usage.{" "}
        {!operator && "It has credit of its own; only your first organization gets starting credit."}
      </p>
      <Form
        submit="Create organization"
        onSubmit={async ({ name = "" }) => {
          const { id } = await create({ body: { name } });
          navigate(hrefOf(id, "overview"));
        }}
      >
        <Field name="name" label="Name" maxLength={100} autoComplete="organization" required />
      </Form>
    </Card>
  );
}
