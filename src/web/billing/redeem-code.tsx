/** Redeeming a voucher code for credit. */
import { useWrite } from "../api/queries.ts";
import { useOrganization } from "../api/session.ts";
import { money } from "../format/dollars.ts";
import { Field, Form } from "../ui/form/form.tsx";
import { Card } from "../ui/page.tsx";

export function RedeemCode() {
  const { id: organization } = useOrganization();
  const post = useWrite("POST /api/organizations/:organization/billing/codes");
  const redeem = ({ code = "" }: Record<string, string>) =>
    post.mutateAsync({ ids: { organization }, body: { code } });
  return (
    <Card title="Redeem a code">
      <Form submit="Redeem code" kind="plain" onSubmit={redeem}>
        <Field name="code" label="Code" autoComplete="off" spellCheck={false} required maxLength={64} />
      </Form>
      {post.data && <p role="status">{money(post.data.amount_micros)} of credit were added.</p>}
    </Card>
  );
}
