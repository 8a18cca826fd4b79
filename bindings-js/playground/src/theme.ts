/** Light and dark: the system's, until a visitor chooses. `public/theme.js` sets it again before the next visit is painted. */

const KEY = "theme";

export function setUpTheme(button: HTMLButtonElement): void {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const show = () => {
    const isDark = theme(system) === "dark";
    button.setAttribute("aria-pressed", String(isDark));
    for (const meta of document.querySelectorAll<HTMLMetaElement>('meta[name="theme-color"]')) {
      meta.content = getComputedStyle(document.documentElement).backgroundColor;
    }
  };
  button.addEventListener("click", () => {
    const next = theme(system) === "dark" ? "light" : "dark";
    document.documentElement.dataset.theme = next;
    try {
      localStorage.setItem(KEY, next);
    } catch {
      // Only for this visit, then.
    }
    show();
  });
  system.addEventListener("change", show);
  show();
}

function theme(system: MediaQueryList): string {
  return document.documentElement.dataset.theme ?? (system.matches ? "dark" : "light");
}
