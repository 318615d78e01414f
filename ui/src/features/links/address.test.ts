import { describe, expect, it } from "vitest";
import { safeLink } from "../../platform/links";
import { addressOf, otherAddressIn } from "./address";

const of = (href: string) => addressOf(safeLink(href) ?? "");

describe("an address in parts", () => {
  it.each([
    ["https://example.org/a?b=1#c", "https://", "example.org", "/a?b=1#c"],
    ["http://example.org:8080", "http://", "example.org:8080", "/"],
    ["https://bank.com@evil.example/x@y", "https://bank.com@", "evil.example", "/x@y"],
    ["https://bank.com%2F:p@evil.example", "https://bank.com%2F:p@", "evil.example", "/"],
    ["https:\\\\evil.example\\@bank.com", "https://", "evil.example", "/@bank.com"],
    ["http://[::1]:3000/a:b", "http://", "[::1]:3000", "/a:b"],
    ["mailto:a@b.example?subject=x&bcc=c@d.example", "mailto:", "a@b.example", "?subject=x&bcc=c@d.example"],
  ])("%s", (href, before, host, after) => {
    const address = of(href);
    expect([address.before, address.host, address.after]).toEqual([before, host, after]);
    expect(before + host + after).toBe(safeLink(href));
  });

  it.each([
    ["https://bücher.example/", "xn--bcher-kva.example", true],
    ["https://аpple.com/", "xn--pple-43d.com", true],
    ["https://xn--pple-43d.com/", "xn--pple-43d.com", true],
    ["https://apple.com/bücher", "apple.com", false],
    ["https://examplexn--a.com/", "examplexn--a.com", false],
    ["mailto:a@bücher.example", "a@b%C3%BCcher.example", true],
  ])("says of %s whether it is international", (href, host, isInternational) => {
    expect(of(href)).toMatchObject({ host, isInternational });
  });

  it("names the user that isn't the site", () => {
    expect(of("https://bank.com@evil.example/").user).toBe("bank.com");
    expect(of("https://evil.example/@bank.com").user).toBe("");
  });
});

describe("a text that looks like another address", () => {
  it.each([
    ["https://bank.com/login", "https://evil.example/", "bank.com"],
    ["see https://bank.com", "https://evil.example/", "bank.com"],
    ["bank.com", "https://evil.example/bank.com", "bank.com"],
    ["www.bank.rs", "https://evil.example/", "www.bank.rs"],
    ["ba\u200bnk.com", "https://evil.example/", "bank.com"],
    ["bank.com", "https://bank.com.evil.example/", "bank.com"],
    ["bank.com", "https://notbank.com/", "bank.com"],
    ["аpple.com", "https://apple.com/", "xn--pple-43d.com"],
    ["http://localhost:3000", "http://localhost:4000/", "localhost:3000"],
    ["https://bank.com", "mailto:me@bank.com", "bank.com"],
    ["me@bank.com", "mailto:you@evil.example", "me@bank.com"],
    ["me@bank.com", "https://bank.com/", "me@bank.com"],
  ])("%s for %s", (text, href, named) => {
    expect(otherAddressIn(text, of(href))).toBe(named);
  });

  it.each([
    ["the docs", "https://example.org/"],
    ["README.md", "https://github.com/a/b/blob/main/README.md"],
    ["src/main.rs", "https://github.com/a/b"],
    ["main.py", "https://github.com/a/b"],
    ["Node.js", "https://nodejs.org/"],
    ["package.json", "https://example.org/"],
    ["v1.2.3", "https://example.org/"],
    ["github.com", "https://docs.github.com/x"],
    ["https://www.example.org/a", "https://example.org/b"],
    ["Example.org", "https://www.example.org/"],
    ["bücher.example/a", "https://bücher.example/a"],
    ["me@bank.com", "mailto:me@bank.com?subject=Hi"],
    ["e.g.", "https://example.org/"],
    ["", "https://example.org/"],
  ])("%s is none for %s", (text, href) => {
    expect(otherAddressIn(text, of(href))).toBeNull();
  });
});
