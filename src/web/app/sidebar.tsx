/** The navigation: the organization, the pages in groups, and the user. */

import { Link, useLocation } from "wouter";
import { type Membership, signOut, useSession } from "../api/session.ts";
import { withControl } from "../browser/keys.ts";
import { hrefOf } from "../browser/navigation.ts";
import { chooseTheme, THEMES } from "../browser/theme.ts";
import { useTheme } from "../browser/use-theme.ts";
import { planName } from "../format/plan.ts";
import { frameTexts } from "../language/en/frame.ts";
import { Icon, Mark } from "../ui/icon.tsx";
import { Menu, MenuButton, MenuLink } from "../ui/overlay/menu.tsx";
import { entryGroups } from "./entries.ts";
import { Group, useCollapsed } from "./entry-group.tsx";

type SidebarProps = {
  current: Membership | null;
  isOpen: boolean;
  onSearch: () => void;
};

export function Sidebar({ current, isOpen, onSearch }: SidebarProps) {
  const { user } = useSession();
  const { ids, toggle } = useCollapsed();
  const t = frameTexts();
  return (
    <nav id="menu" className={isOpen ? "sidebar open" : "sidebar"} aria-label={t("main")}>
      <Link href="/" className="mark">
        <Mark /> Loquat
      </Link>
      {current && <OrganizationMenu current={current} />}
      <button type="button" className="find" onClick={onSearch}>
        <Icon name="search" size={16} /> <span>{t("search")}</span> <kbd>{withControl("K")}</kbd>
      </button>
      <div className="entries">
        {entryGroups(current, user.operator).map((group) => (
          <Group
            key={group.id}
            group={group}
            isCollapsed={group.name !== null && ids.includes(group.id)}
            onToggle={() => toggle(group.id)}
          />
        ))}
      </div>
      <UserMenu />
    </nav>
  );
}

/** Opens the same page of another organization. */
function OrganizationMenu({ current }: { current: Membership }) {
  const { organizations } = useSession();
  const t = frameTexts();
  const [location] = useLocation();
  const page = /^\/orgs\/[^/]+\/([^/?]+)/.exec(location)?.[1] ?? "overview";
  return (
    <Menu
      className="organizations"
      label={t("organization")}
      button={<MenuName name={current.name} detail={planName(current)} />}
    >
      {organizations.map(({ id, name }) => (
        <MenuLink key={id} href={hrefOf(id, page)}>
          <Initial of={name} />{" "}
          <span className="grow" dir="auto">
            {name}
          </span>
          {id === current.id && <Icon name="check" size={16} />}
        </MenuLink>
      ))}
      <hr />
      <MenuLink href={`${hrefOf(current.id, "settings")}#new`}>
        <Icon name="plus" size={16} /> {t("newOrganization")}
      </MenuLink>
    </Menu>
  );
}

/** On the button of a menu: whose it is. */
function MenuName({ name, detail }: { name: string; detail: string }) {
  return (
    <>
      <Initial of={name} />
      <span className="who">
        <strong dir="auto">{name}</strong>
        <small>{detail}</small>
      </span>
      <Icon name="unfold" size={16} />
    </>
  );
}

function Initial({ of }: { of: string }) {
  return (
    <span className="initial" aria-hidden>
      {[...of.trim()][0]?.toUpperCase() ?? "?"}
    </span>
  );
}

const THEME_NAMES = { system: "systemTheme", light: "lightTheme", dark: "darkTheme" } as const;

function UserMenu() {
  const { user } = useSession();
  const theme = useTheme();
  const t = frameTexts();
  return (
    <Menu className="user" label={t("user")} button={<MenuName name={user.name} detail={user.email} />}>
      <MenuLink href="/account">
        <Icon name="user" size={16} /> {t("account")}
      </MenuLink>
      <hr />
      {THEMES.map((each) => (
        <MenuButton key={each} isChosen={each === theme} onClick={() => chooseTheme(each)}>
          <span className="grow">{t(THEME_NAMES[each])}</span>
          {each === theme && <Icon name="check" size={16} />}
        </MenuButton>
      ))}
      <hr />
      <MenuButton onClick={() => void signOut()}>
        <Icon name="leave" size={16} /> {t("signOut")}
      </MenuButton>
    </Menu>
  );
}
