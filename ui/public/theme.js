// Before anything is drawn: the look and the language that the user chose. Without a choice they are the system's.
try {
  const { dataset } = document.documentElement;
  const theme = localStorage.getItem("arki.theme");
  if (theme === "light" || theme === "dark") dataset.theme = theme;
  if (localStorage.getItem("arki.density") === "compact") dataset.density = "compact";
  const language = localStorage.getItem("arki.language") ?? "system";
  document.documentElement.lang = language === "system" ? navigator.language : language;
} catch {
  // No storage: the system's look.
}
