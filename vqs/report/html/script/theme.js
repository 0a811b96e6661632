// Light or dark: the setting of the system, until the reader changes it.

import { byId } from "./dom.js";

const THEMES = ["system", "light", "dark"];
const THEME_KEY = "vqs-theme";

function remembered() {
  try {
    return localStorage.getItem(THEME_KEY) ?? "system";
  } catch {
    return "system"; // A browser may forbid files to remember anything.
  }
}

function remember(theme) {
  try {
    localStorage.setItem(THEME_KEY, theme);
  } catch {
    // Then it is forgotten when the page is closed.
  }
}

function useTheme(theme) {
  document.documentElement.dataset.theme = theme;
  byId("theme").textContent = `Theme: ${theme}`;
}

export function setUpTheme() {
  const first = remembered();
  useTheme(THEMES.includes(first) ? first : "system");
  byId("theme").addEventListener("click", () => {
    const theme = THEMES[(THEMES.indexOf(document.documentElement.dataset.theme) + 1) % THEMES.length];
    useTheme(theme);
    remember(theme);
  });
}
