// Before anything is drawn: the look that the user chose. Without a choice it is the system's.
try {
  const theme = localStorage.getItem("arki.theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // No storage: the system's look.
}
