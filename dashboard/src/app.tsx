import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";

import type { CreatedPage } from "./create-page.ts";
import { PageContext, usePage, useText } from "./page-context.ts";
import { ConnectionBanner } from "./parts/connection-banner.tsx";
import { ErrorBoundary } from "./parts/error-boundary.tsx";
import { Notices } from "./parts/notices.tsx";
import { PageHeader } from "./parts/page-header.tsx";
import { TokenForm } from "./parts/token-form.tsx";
import type { Preferences } from "./preferences.ts";
import type { Route } from "./route.ts";
import { HistoryView } from "./views/history-view.tsx";
import { JobView } from "./views/job-view.tsx";
import { JobsView } from "./views/jobs-view.tsx";

interface AppProps {
  readonly created: CreatedPage;
  readonly preferences: Preferences;
}

/** The whole page. */
export function App({ created, preferences }: AppProps): JSX.Element {
  return (
    <PageContext.Provider value={created.page}>
      <Frame created={created} preferences={preferences} />
    </PageContext.Provider>
  );
}

function Frame({ created, preferences }: AppProps): JSX.Element {
  const page = usePage();
  const text = useText();
  const main = useRef<HTMLElement>(null);
  const route = page.route.value;
  const place = placeOf(route);
  const isFirst = useRef(true);
  useEffect(() => {
    if (isFirst.current) isFirst.current = false;
    else main.current?.focus({ preventScroll: true });
  }, [place]);
  return (
    <>
      <button type="button" class="skip-link" onClick={() => main.current?.focus()}>
        {text.skipToContent}
      </button>
      <PageHeader preferences={preferences} hasJobs={route.view !== "history"} />
      <ConnectionBanner />
      {created.isAddressRefused && (
        <p class="banner bad" role="alert">
          {text.restRefused}
        </p>
      )}
      <main id="content" ref={main} tabIndex={-1}>
        <ErrorBoundary key={place} text={text}>
          {page.client.isTokenWanted.value ? (
            <TokenForm />
          ) : (
            <View route={route} historyHref={created.historyHref} />
          )}
        </ErrorBoundary>
      </main>
      <Notices />
    </>
  );
}

function View({
  route,
  historyHref,
}: {
  readonly route: Route;
  readonly historyHref: string | undefined;
}): JSX.Element {
  switch (route.view) {
    case "jobs":
      return <JobsView />;
    case "job":
      return <JobView key={route.jobId} route={route} />;
    case "history":
      return (
        <HistoryView
          href={historyHref}
          checkpointId={route.checkpointId}
          compareId={route.compareId}
        />
      );
  }
}

/** Names a view, for moving the focus only when the view changes and not with each checkpoint that is picked. */
function placeOf(route: Route): string {
  return route.view === "job" ? `${route.jobId}/${route.tab}` : route.view;
}
