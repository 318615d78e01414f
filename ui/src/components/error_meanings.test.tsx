import { readFileSync } from "node:fs";
import { i18n } from "@lingui/core";
import { render, screen } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";
import { messages } from "../locales/later/de.po";
import { ErrorNote } from "./ErrorNote";
import { errorMeanings } from "./error_meanings";

const documented = readFileSync("../docs/errors.md", "utf8").matchAll(/^\| `([A-Z_]+)` \| (.*) \|$/gm);

describe("the engine's errors", () => {
  afterEach(() => i18n.loadAndActivate({ locale: "en", messages: {} }));

  it("mean what docs/errors.md says, each of them", () => {
    const meant = Object.entries(errorMeanings).map(([code, { message }]) => [code, message]);
    expect(meant).toEqual([...documented].map(([, code, meaning]) => [code, meaning]));
  });

  it("are told in another language, with the engine's own words below", async () => {
    i18n.loadAndActivate({ locale: "de", messages });
    const error = {
      code: "KEY_REFUSED",
      message: "acme refused the key.",
      hint: "Enter another.",
      details: null,
    };
    render(<ErrorNote error={error} />);
    expect(await screen.findByText("Der Anbieter hat den Schlüssel abgelehnt.")).toBeDefined();
    expect(screen.getByText("acme refused the key. Enter another.").lang).toBe("en");
  });

  it("show a command in their hint as code", () => {
    render(<ErrorNote error={{ code: "NEW_ONE", message: "It failed.", hint: "Run `arki doctor`." }} />);
    expect(screen.getByText("arki doctor").tagName).toBe("CODE");
  });

  it("are told as the engine tells them where their code is not known", async () => {
    i18n.loadAndActivate({ locale: "de", messages });
    render(<ErrorNote error={{ code: "NEW_ONE", message: "Something new.", hint: "" }} />);
    expect(await screen.findByText("Something new.")).toBeDefined();
  });
});
