/** The window in a browser: whoever opens it signs in first, with the code in the link or with a token. */
import "../styles/tokens.css";
import "../styles/base.css";
import { i18n } from "@lingui/core";
import { I18nProvider } from "@lingui/react";
import { createRoot, type Root } from "react-dom/client";
import { lazily } from "../components/lazily";
import { httpPlatform } from "../platform/http";
import { accessHere, signIn } from "../platform/http/requests";
import { asCommandError } from "../platform/platform";
import type { CommandError } from "../protocol/generated";
import { offeredBy } from "./browser_commands";
import { speak } from "./locale";
import { mount } from "./mount";

/** With its words, which come with the parts. */
const SignIn = lazily(() => import("./SignIn").then((part) => part.SignIn));
/** Fetched while there is a server to fetch it from. */
const Unreachable = lazily(() => import("./Unreachable").then((part) => part.Unreachable));

export async function mountInBrowser(root: Root): Promise<void> {
  await speak();
  const code = takeCode();
  let refused: CommandError | null = null;
  if (code !== null) await signIn({ code }).catch((thrown) => (refused = asCommandError(thrown)));
  const access = await accessHere().catch((thrown) => {
    refused = asCommandError(thrown);
    return null;
  });
  if (access !== null) {
    const platform = httpPlatform(access);
    tellWhenGone();
    return mount(root, platform, offeredBy(platform));
  }
  root.render(
    <I18nProvider i18n={i18n}>
      <SignIn refused={refused} signIn={signIn} onSignedIn={() => location.reload()} />
    </I18nProvider>,
  );
}

/** Beside the page, which may be broken where nobody answers it. */
function tellWhenGone(): void {
  const place = document.body.appendChild(document.createElement("div"));
  createRoot(place).render(
    <I18nProvider i18n={i18n}>
      <Unreachable />
    </I18nProvider>,
  );
}

/** Out of the address, before anybody can read it there or in the browser's history. */
function takeCode(): string | null {
  const code = new URLSearchParams(location.hash.slice(1)).get("code");
  if (code !== null) history.replaceState(null, "", location.pathname);
  return code;
}
