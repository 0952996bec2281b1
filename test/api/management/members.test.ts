/** Promise: members of an organization can do what their roles allow, and outsiders learn nothing about it. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { errorOf, type Harness } from "../../harness.ts";
import {
  forgetAttempts,
  invite,
  letters,
  mailedLink,
  openAccountsHarness,
  type Person,
  signUp,
  signUpByLink,
} from "./people.ts";
import { openPostbox } from "./smtp.ts";

let harness: Harness;
let bob: Person;
let admin: Person;
let member: Person;
let outsider: Person;
let home: string;
let seats: Record<string, string>;
beforeAll(async () => {
  harness = await openAccountsHarness();
  bob = await signUp(harness, "bob@example.com");
  admin = await signUp(harness, "admin@example.com");
  member = await signUp(harness, "member@example.com");
  outsider = await signUp(harness, "outsider@example.com");
  home = harness.organizationId;
  await invite(bob, admin, { organizationId: home, role: "admin" });
  await invite(bob, member, { organizationId: home, role: "member" });
  const { members } = await bob.json<{ members: { id: string; user: { email: string } }[] }>(
    `/api/auth/organization/list-members?organizationId=${home}`,
  );
  seats = Object.fromEntries(members.map(({ id, user }) => [user.email, id]));
});
afterAll(() => harness[Symbol.asyncDispose]());

const outcomeOf = async (response: Response) => {
  const { status, code } = await errorOf(response);
  return `${status} ${code}`;
};
const act = async (person: Person, path: string, body?: object) => {
  const response = await person.auth(`organization/${path}`, body);
  return response.ok ? "200" : outcomeOf(response);
};
const asked = (role: string) => ({ organizationId: home, email: `${role}-to-be@example.com`, role });
const changed = (person: Person, role: string) => ({
  ...{ organizationId: home, memberId: seats[person.email], role },
});

test("outsiders learn nothing about an organization", async () => {
  const { id } = await bob.json<{ id: string }>("/api/auth/organization/invite-member", {
    ...asked("member"),
    email: "hidden@example.com",
  });
  const attempts: [string, object?][] = [
    [`list-members?organizationId=${home}`],
    [`list-invitations?organizationId=${home}`],
    [`get-invitation?id=${id}`],
    ["invite-member", asked("member")],
    ["update-member-role", changed(member, "admin")],
    ["remove-member", { organizationId: home, memberIdOrEmail: seats[member.email] }],
    ["remove-member", { organizationId: home, memberIdOrEmail: member.email }],
    ["leave", { organizationId: home }],
    ["cancel-invitation", { invitationId: id }],
    ["accept-invitation", { invitationId: id }],
    ["reject-invitation", { invitationId: id }],
  ];
  for (const [path, body] of attempts)
    expect([path, await act(outsider, path, body)]).toEqual([path, "404 not_found"]);
  const mine = (await harness.parts.accounts.memberships(outsider.userId))[0]!.organization.id;
  const across = { ...changed(member, "admin"), organizationId: mine };
  expect(await act(outsider, "update-member-role", across)).toBe("404 not_found");
  const removed = { organizationId: mine, memberIdOrEmail: seats[member.email] };
  expect(await act(outsider, "remove-member", removed)).toBe("404 not_found");
  expect(await act(bob, "cancel-invitation", { invitationId: id })).toBe("200");
});

test("a member can list the members and change none of them", async () => {
  expect(await act(member, `list-members?organizationId=${home}`)).toBe("200");
  for (const [path, body] of [
    [`list-invitations?organizationId=${home}`, undefined],
    ["invite-member", asked("member")],
    ["update-member-role", changed(member, "admin")],
    ["remove-member", { organizationId: home, memberIdOrEmail: seats[admin.email] }],
  ] as const)
    expect([path, await act(member, path, body)]).toEqual([path, "403 insufficient_role"]);
});

test("an admin manages members, but not owners", async () => {
  expect(await act(admin, "invite-member", asked("member"))).toBe("200");
  expect(await act(admin, "invite-member", asked("owner"))).toBe("403 owner_required");
  expect(await act(admin, "invite-member", { ...asked("member"), role: "owner,member" })).toBe(
    "422 validation_error",
  );
  expect(await act(admin, "update-member-role", changed(member, "admin"))).toBe("200");
  expect(await act(admin, "update-member-role", changed(member, "owner"))).toBe("403 owner_required");
  expect(await act(admin, "update-member-role", changed(admin, "owner"))).toBe("403 owner_required");
  expect(await act(admin, "update-member-role", changed(bob, "member"))).toBe("403 owner_required");
  const owner = { organizationId: home, memberIdOrEmail: bob.email };
  expect(await act(admin, "remove-member", owner)).toBe("403 owner_required");
  const invitation = await bob.json<{ id: string }>("/api/auth/organization/invite-member", asked("owner"));
  expect(await act(admin, "cancel-invitation", { invitationId: invitation.id })).toBe("403 owner_required");
  expect(await act(admin, "update-member-role", changed(member, "member"))).toBe("200");
});

test("the last owner cannot be removed or demoted", async () => {
  expect(await act(bob, "update-member-role", changed(bob, "admin"))).toBe("409 last_owner");
  expect(await act(bob, "leave", { organizationId: home })).toBe("409 last_owner");
  expect(await act(bob, "remove-member", { organizationId: home, memberIdOrEmail: bob.email })).toBe(
    "409 last_owner",
  );
  expect(await act(bob, "update-member-role", changed(admin, "owner"))).toBe("200");
  expect(await act(bob, "update-member-role", changed(bob, "member"))).toBe("200");
  expect(await act(admin, "update-member-role", changed(bob, "owner"))).toBe("200");
});

test("a removed member loses access at once, and may reject the next invitation", async () => {
  await admin.json("/api/auth/organization/remove-member", {
    ...{ organizationId: home, memberIdOrEmail: member.email },
  });
  expect(await act(member, `list-members?organizationId=${home}`)).toBe("404 not_found");
  const { id } = await admin.json<{ id: string }>("/api/auth/organization/invite-member", {
    ...{ organizationId: home, email: member.email, role: "member" },
  });
  expect(await act(member, "reject-invitation", { invitationId: id })).toBe("200");
  expect(await act(member, "accept-invitation", { invitationId: id })).toBe("404 not_found");
});

test("removing a member revokes their keys, unless an admin keeps them", async () => {
  const guest = await signUp(harness, "guest@example.com");
  const project = (await harness.parts.accounts.defaultProject(home))!.id;
  const join = () => invite(bob, guest, { organizationId: home, role: "member" });
  const make = async () =>
    (await guest.json<{ id: string }>(`/api/projects/${project}/keys`, { name: "ci", environment: "test" }))
      .id;
  const listed = async () => {
    const path = `/api/organizations/${home}/keys?status=active&created_by=${guest.userId}`;
    return (await bob.json<{ data: { id: string }[] }>(path)).data.map(({ id }) => id);
  };
  const gone = { organizationId: home, memberIdOrEmail: guest.email };
  await join();
  const key = await make();
  expect(await listed()).toEqual([key]);
  expect(await act(guest, "leave", { organizationId: home, keys: "keep" })).toBe("403 insufficient_role");
  expect(await act(bob, "remove-member", { ...gone, keys: "burn" })).toBe("422 validation_error");
  expect(await act(bob, "remove-member", { ...gone, keys: "keep" })).toBe("200");
  expect(await listed()).toEqual([key]);
  await join();
  expect(await act(bob, "remove-member", gone)).toBe("200");
  expect(await listed()).toEqual([]);
  await join();
  await make();
  expect(await act(guest, "leave", { organizationId: home })).toBe("200");
  expect(await listed()).toEqual([]);
});

test("invitations are limited per hour, and to three a day for one address", async () => {
  const host = await signUp(harness, "host@example.com");
  const { id } = await host.json<{ id: string }>("/api/organizations", { name: "https://evil.example/win" });
  await forgetAttempts(harness);
  const ask = async (email: string) => {
    const response = await host.auth("organization/invite-member", {
      organizationId: id,
      email,
      role: "member",
    });
    if (!response.ok) return outcomeOf(response);
    const made = (await response.json()) as { id: string };
    return act(host, "cancel-invitation", { invitationId: made.id });
  };
  const same = [];
  for (let tries = 0; tries < 4; tries++) same.push(await ask("one@example.com"));
  expect(same).toEqual(["200", "200", "200", "429 rate_limit_exceeded"]);
  const many = await Promise.all(Array.from({ length: 20 }, (_, index) => ask(`many${index}@example.com`)));
  expect(many.filter((answer) => answer === "200").length).toBe(16);
  expect(many.filter((answer) => answer === "429 rate_limit_exceeded").length).toBe(4);
  await mailedLink(harness, "one@example.com", "invitation");
  const [letter] = letters(harness, "one@example.com");
  expect(letter!.subject).toBe("You are invited to an organization");
  expect(letter!.text).not.toMatch(/evil\.example/);
});

test("an inviter is told whether the mail of an invitation was sent", async () => {
  await using post = await openPostbox("gone@example.com");
  await using mailed = await openAccountsHarness({ environment: { SMTP_URL: post.url } });
  const host = await signUpByLink(mailed, { email: "host@example.com" }, () => post.link("host@example.com"));
  const invite = async (email: string) => {
    const asked = { organizationId: mailed.organizationId, email, role: "member" };
    return (await host.json<{ mail: string }>("/api/auth/organization/invite-member", asked)).mail;
  };
  expect(await invite("ann@example.com")).toBe("sent");
  expect(await invite("gone@example.com")).toBe("refused");
});
