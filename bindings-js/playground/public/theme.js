// Before anything is painted: a theme that was chosen here before.
try {
  const theme = localStorage.getItem("theme");
  if (theme === "dark" || theme === "light") {
    document.documentElement.dataset.theme = theme;
  }
} catch {
  // Storage is switched off: the system's theme it is.
}
