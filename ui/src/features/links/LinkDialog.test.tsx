import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import { safeLink } from "../../platform/links";
import { createFake } from "../../testing/fake";
import { renderOn } from "../../testing/render";
import { LinkDialog } from "./LinkDialog";

async function asked(href: string, text: string) {
  const fake = createFake({});
  const onClose = vi.fn();
  const user = userEvent.setup();
  await renderOn(fake, <LinkDialog url={safeLink(href) ?? ""} text={text} onClose={onClose} />);
  const dialog = await screen.findByRole("dialog", { name: "Open this link?" });
  const warnings = () => [...dialog.querySelectorAll(".link-warning span")].map((one) => one.textContent);
  return { fake, onClose, user, dialog, warnings };
}

const button = (name: string) => screen.getByRole<HTMLButtonElement>("button", { name });

describe("a link that was clicked on", () => {
  it("shows its whole address with the host in strong, and opens it with the next key", async () => {
    const { fake, onClose, user, dialog, warnings } = await asked("https://example.org/a?b=1#c", "docs");
    expect(dialog.querySelector(".link-address")?.textContent).toBe("https://example.org/a?b=1#c");
    expect(dialog.querySelector("strong")?.textContent).toBe("example.org");
    expect(warnings()).toEqual([]);
    const open = button("Open in browser");
    await waitFor(() => expect(document.activeElement).toBe(open));
    expect(document.getElementById(open.getAttribute("aria-describedby") ?? "")?.textContent).toBe(
      "https://example.org/a?b=1#c",
    );
    expect(fake.opened).toEqual([]);
    await user.keyboard("{Enter}");
    expect(fake.opened).toEqual(["https://example.org/a?b=1#c"]);
    expect(onClose).toHaveBeenCalledOnce();
  });

  it("is copied, which is said, and stays open", async () => {
    const { onClose, user } = await asked("https://example.org/", "docs");
    await user.click(button("Copy address"));
    expect(await navigator.clipboard.readText()).toBe("https://example.org/");
    expect(screen.getByRole("status").textContent).toBe("The address is copied.");
    expect(document.activeElement).toBe(button("Copy address"));
    expect(onClose).not.toHaveBeenCalled();
  });

  it("warns of a text that names another site, and Enter alone doesn't open it then", async () => {
    const { fake, user, warnings } = await asked("https://evil.example/", "https://bank.com/login");
    expect(warnings()).toEqual(["The link says bank.com, but leads to evil.example."]);
    await waitFor(() => expect(document.activeElement).toBe(button("Copy address")));
    await user.keyboard("{Enter}");
    expect(fake.opened).toEqual([]);
  });

  it("warns of letters that look like others, and of a user that looks like a site", async () => {
    const { warnings, dialog } = await asked("https://bank.com@аpple.com/x", "Apple");
    expect(dialog.querySelector("strong")?.textContent).toBe("xn--pple-43d.com");
    expect(warnings()).toEqual([
      "The site's name has letters beyond a to z, which can look like other letters. Check that it's the site you mean.",
      "bank.com is a user name here, not the site.",
    ]);
  });

  it("hides nothing of an address that turns around", async () => {
    const { dialog } = await asked("mailto:a@b.example?subject=x\u202egnp", "write");
    expect(dialog.querySelector(".link-address")?.textContent).not.toContain("\u202e");
    expect(button("Write email")).toBeTruthy();
  });

  it("says why it can't be opened, and stays", async () => {
    const { fake, onClose, user } = await asked("https://example.org/", "docs");
    fake.platform.openLink = () => Promise.reject("No browser was found.");
    await user.click(button("Open in browser"));
    expect((await screen.findByRole("alert")).textContent).toContain("No browser was found.");
    expect(onClose).not.toHaveBeenCalled();
  });
});
