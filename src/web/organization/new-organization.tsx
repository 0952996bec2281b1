/** Creates an organization, owned by the user. */
import { useLocation } from "wouter";
import { useWrite } from "../api/queries.ts";
import { useSession } from "../api/session.ts";
import { hrefOf } from "../browser/navigation.ts";
import { accountTexts } from "../language/en/account.ts";
import { Field, Form } from "../ui/form/form.tsx";
import { Card } from "../ui/page.tsx";

export function NewOrganization({ title }: { title: string }) {
  const { mutateAsync: create } = useWrite("POST /api/organizations");
  const [, navigate] = useLocation();
  const t = accountTexts();
  const { operator } = useSession().user;
  return (
    <Card title={title}>
      <p>
        {t("organizationText")} {!operator && t("organizationCredit")}
      </p>
      <Form
        submit={t("doCreate")}
        onSubmit={async ({ name = "" }) => {
          const { id } = await create({ body: { name } });
          navigate(hrefOf(id, "overview"));
        }}
      >
        <Field name="name" label={t("name")} maxLength={100} autoComplete="organization" required />
      </Form>
    </Card>
  );
}
