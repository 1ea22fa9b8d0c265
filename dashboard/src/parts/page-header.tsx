import type { JSX } from "preact";

import { usePage, useText } from "../page-context.ts";
import { chooseLanguage, chooseTheme, type Preferences, type Theme } from "../preferences.ts";

interface PageHeaderProps {
  readonly preferences: Preferences;
  readonly hasJobs: boolean;
}

/** Name of the product, the way back to the jobs, connection, language and theme. */
export function PageHeader({ preferences, hasJobs }: PageHeaderProps): JSX.Element {
  const { client } = usePage();
  const text = useText();
  const language = preferences.language.value;
  const reachability = client.reachability.value;
  return (
    <header class="page-header">
      <a class="brand" href={hasJobs ? "#/" : "#/history"}>
        <Mark />
        <span>Cutwater</span>
      </a>
      <div class="header-tools">
        {reachability !== "unknown" && (
          <span class={`connection ${reachability}`}>
            <span class="dot" aria-hidden="true" />
            <span class="wide-only">
              {reachability === "reachable" ? text.connected : text.reconnecting(0)}
            </span>
          </span>
        )}
        <button
          type="button"
          class="quiet"
          lang={language === "en" ? "zh-Hans" : "en"}
          onClick={() => chooseLanguage(preferences, language === "en" ? "zh" : "en")}
          data-test="language"
        >
          {language === "en" ? "中文" : "English"}
        </button>
        <ThemeChoice preferences={preferences} />
      </div>
    </header>
  );
}

const THEMES: readonly Theme[] = ["auto", "light", "dark"];

function ThemeChoice({ preferences }: { readonly preferences: Preferences }): JSX.Element {
  const text = useText();
  const names: Readonly<Record<Theme, string>> = {
    auto: text.themeAuto,
    light: text.themeLight,
    dark: text.themeDark,
  };
  return (
    <label class="theme-choice">
      <span class="unseen">{text.theme}</span>
      <select
        value={preferences.theme.value}
        onChange={(event) => {
          const chosen = THEMES.find((theme) => theme === event.currentTarget.value);
          chooseTheme(preferences, chosen ?? "auto");
        }}
      >
        {THEMES.map((theme) => (
          <option key={theme} value={theme}>
            {names[theme]}
          </option>
        ))}
      </select>
    </label>
  );
}

/** A bridge pier with the stream parting at its edge. */
function Mark(): JSX.Element {
  return (
    <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="7" class="mark-ground" />
      <path d="M16 5 L21 14 V27 H11 V14 Z" class="mark-pier" />
      <path
        d="M3 13 C8 13 9 9 13 6 M29 13 C24 13 23 9 19 6 M3 21 C6 21 7.5 19 8.5 17 M29 21 C26 21 24.5 19 23.5 17"
        class="mark-stream"
      />
    </svg>
  );
}
