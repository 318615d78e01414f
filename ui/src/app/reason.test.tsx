import { i18n } from "@lingui/core";
import { screen } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";
import { messages as later } from "../locales/later/de.po";
import { messages as start } from "../locales/start/de.po";
import type { TranslatableText } from "../protocol/generated";
import { show, waiting } from "../testing/approvals";

const reason = "`git push` publishes. Ask me first. Running commands needs your approval.";
const danger = { code: "DANGER", values: { program: "git push", does: { code: "PUBLISHES" } } };
const asks = { code: "CATEGORY_ASKED", values: { what: { code: "RUNNING_COMMANDS" } } };
const sentences: TranslatableText[] = [danger, "Ask me first.", asks];

async function asked(payload: { sentences?: TranslatableText[] }) {
  const { fake, id } = waiting({}, { reason, ...payload });
  return show(fake, id);
}

describe("the reason of an approval", () => {
  afterEach(() => i18n.loadAndActivate({ locale: "en", messages: {} }));

  it("is said in the user's language, with the words of a rule's author as they are", async () => {
    i18n.loadAndActivate({ locale: "de", messages: { ...start, ...later } });
    await asked({ sentences });
    const german =
      "`git push` veröffentlicht. Ask me first. Das Ausführen von Befehlen braucht Ihre Freigabe.";
    expect(await screen.findByText(german)).toBeTruthy();
  });

  it("is said in English where it is from an earlier version or has a code of a later one", async () => {
    i18n.loadAndActivate({ locale: "de", messages: { ...start, ...later } });
    const unknown: TranslatableText[][] = [
      [danger, { code: "OF_LATER" }],
      [{ ...danger, values: { ...danger.values, does: { code: "OF_LATER" } } }],
    ];
    for (const payload of [{}, ...unknown.map((sentences) => ({ sentences }))]) {
      const view = await asked(payload);
      expect(await screen.findByText(reason)).toBeTruthy();
      // Its part has come meanwhile.
      await new Promise((done) => setTimeout(done));
      expect(screen.getByText(reason)).toBeTruthy();
      view.unmount();
    }
  });

  it("is the log's in English", async () => {
    await asked({ sentences });
    expect(screen.getByText(reason)).toBeTruthy();
  });
});
