// Elements by role and name, among what can be seen. The names found here are checked against those that the browser
// itself computes for assistive technology, so this only has to find candidates.
const [role, name, root] = arguments;
const native = {
  // WebKitGTK computes "button" for a list to choose from.
  button: "button, select",
  textbox: 'textarea, input:not([type]), input[type="text"], input[type="email"], input[type="url"], input[type="password"]',
  searchbox: 'input[type="search"]',
  checkbox: 'input[type="checkbox"]',
  form: "form",
  radio: 'input[type="radio"]',
  navigation: "nav",
  main: "main",
  complementary: "aside",
  contentinfo: "footer",
  region: "section",
  article: "article",
  heading: "h1, h2, h3, h4",
  list: "ul, ol",
  slider: 'input[type="range"]',
  table: "table",
  link: "a[href]",
};
const selector = [`[role="${role}"]`, native[role]].filter(Boolean).join(",");
const text = (element) => {
  const copy = element.cloneNode(true);
  for (const hidden of copy.querySelectorAll('[aria-hidden="true"]')) hidden.remove();
  return copy.textContent.replace(/\s+/g, " ").trim();
};
const labelOf = (element) => element.getAttribute("aria-label") ?? text(element);
const nameOf = (element) => {
  const by = element.getAttribute("aria-labelledby");
  if (by) return by.split(" ").map((id) => labelOf(document.getElementById(id))).join(" ");
  if (element.labels?.length && !element.ariaLabel) return text(element.labels[0]);
  return labelOf(element);
};
return [...(root ?? document).querySelectorAll(selector)].filter(
  (element) =>
    (element.getAttribute("role") ?? role) === role &&
    (name === null || nameOf(element) === name) &&
    element.checkVisibility({ visibilityProperty: true }) &&
    !element.closest('[aria-hidden="true"], [inert]'),
);
