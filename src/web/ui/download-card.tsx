/** A card with a file of a route, which a button downloads. */
import type { ReactNode } from "react";
import type { Input, RouteName } from "../api/server.ts";
import { useDownload } from "../api/use-download.ts";
import { Button } from "./button.tsx";
import { Card } from "./page.tsx";
import { Failure } from "./query-boundary.tsx";

/** `button`: its words; null: who looks may not download it. `children`: what the file is. */
type DownloadCardProps<K extends RouteName> = {
  title: string;
  route: K;
  input: Input<K>;
  button: string | null;
  children: ReactNode;
};

export function DownloadCard<K extends RouteName>(props: DownloadCardProps<K>) {
  const { title, route, input, button, children } = props;
  const { busy, failure, download } = useDownload(route);
  return (
    <Card title={title}>
      {children}
      {failure && <Failure {...failure} />}
      {button !== null && (
        <div className="actions">
          <Button busy={busy !== null} onClick={() => download("file", input)}>
            {button}
          </Button>
        </div>
      )}
    </Card>
  );
}
