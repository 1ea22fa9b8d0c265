import { effect, signal, type Signal } from "@preact/signals";

export type Language = "en" | "zh";
export type Theme = "auto" | "light" | "dark";

const LANGUAGE_KEY = "cutwater.language";
const THEME_KEY = "cutwater.theme";

/** What the reader chose, kept by the browser. */
export interface Preferences {
  readonly language: Signal<Language>;
  readonly theme: Signal<Theme>;
}

/** The first of the reader's languages that the page speaks; English if there is none. */
function preferredLanguage(languages: readonly string[]): Language {
  const known = languages
    .map((tag) => tag.toLowerCase().slice(0, 2))
    .find((tag) => tag === "zh" || tag === "en");
  return known === "zh" ? "zh" : "en";
}

/** Reads the preferences, and puts them onto the document whenever they change. */
export function readPreferences(): Preferences {
  const stored = localStorage.getItem(LANGUAGE_KEY);
  const language = signal<Language>(
    stored === "en" || stored === "zh" ? stored : preferredLanguage(navigator.languages),
  );
  const storedTheme = localStorage.getItem(THEME_KEY);
  const theme = signal<Theme>(
    storedTheme === "light" || storedTheme === "dark" ? storedTheme : "auto",
  );
  effect(() => {
    document.documentElement.lang = language.value === "zh" ? "zh-Hans" : "en";
    document.documentElement.dataset["theme"] = theme.value;
  });
  return { language, theme };
}

export function chooseLanguage(preferences: Preferences, language: Language): void {
  localStorage.setItem(LANGUAGE_KEY, language);
  preferences.language.value = language;
}

export function chooseTheme(preferences: Preferences, theme: Theme): void {
  localStorage.setItem(THEME_KEY, theme);
  preferences.theme.value = theme;
}
