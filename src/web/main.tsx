/** The entry of the dashboard and the playground; pages are fetched when they are first visited. */

import { QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Router } from "wouter";
import { queryClient } from "./api/queries.ts";
import { App } from "./app/router.tsx";
import { watchInstallation } from "./browser/installed.ts";
import { watchConnection } from "./browser/page-events.ts";
import { site } from "./browser/site.ts";
import { startTheme } from "./browser/theme.ts";
import { startLanguage } from "./start-language.ts";
import { ErrorBoundary } from "./ui/error-boundary.tsx";

startTheme();
watchConnection();
watchInstallation();
await startLanguage();
createRoot(document.getElementById("root")!).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <ErrorBoundary>
        <Router base={site.base}>
          <App />
        </Router>
      </ErrorBoundary>
    </QueryClientProvider>
  </StrictMode>,
);
