/**
 * The window against a scripted engine: `npm run dev`, then /dev.html?scene=full&theme=dark&lang=de. For looking at it
 * and for trying things out; a message is answered by a slow echo.
 */
import { createRoot } from "react-dom/client";
import { mount } from "../app/mount";
import type { Fake } from "./fake";
import { scenes } from "./scenes";

const params = new URLSearchParams(location.search);
const theme = params.get("theme");
if (theme) localStorage.setItem("arki.theme", theme);
const language = params.get("lang");
if (language) localStorage.setItem("arki.language", language);
const fake = (scenes[params.get("scene") ?? "full"] ?? scenes.full)?.();
const root = document.getElementById("root");
if (root && fake) {
  void mount(createRoot(root), fake.platform);
  Object.assign(window, {
    fake,
    stream: (sessionId: string, words: number) => stream(fake, sessionId, words),
  });
}

/** Streams words into a session, one a frame. */
function stream(fake: Fake, sessionId: string, words: number) {
  let left = words;
  const tick = () => {
    const text = left % 40 === 0 ? "\n\nNext paragraph: " : `word${left} `;
    fake.send({
      deltas: [
        {
          sessionId,
          runId: "live",
          turn: 1,
          tokenType: left > words - 20 ? "LLM_THINKING" : "LLM_RESPONSE",
          text,
        },
      ],
    });
    left -= 1;
    if (left > 0) requestAnimationFrame(tick);
  };
  tick();
}
