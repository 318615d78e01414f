// All that the window has or can ask for without changing anything, as text.
const done = arguments[arguments.length - 1];
const ask = (name, params = {}) =>
  window.__TAURI_INTERNALS__.invoke("call", { name, params }).catch((error) => ({ refused: name, error }));
(async () => {
  const sessions = await ask("list_sessions");
  const pages = await Promise.all(
    sessions.map(({ sessionId }) => ask("session_page", { sessionId, beforeSeq: null, limit: 1000 })),
  );
  const answers = await Promise.all(
    ["app_state", "list_approvals", "list_models", "list_providers"].map((name) => ask(name)),
  );
  const fields = [...document.querySelectorAll("input, textarea")].map((field) => field.value);
  const page = document.documentElement.outerHTML;
  done(JSON.stringify([page, fields, { ...localStorage }, { ...sessionStorage }, sessions, pages, answers]));
})();
