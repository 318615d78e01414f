import { i18n } from "@lingui/core";
import { I18nProvider } from "@lingui/react";
import { act, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { commanded } from "../platform/http/requests";
import { Unreachable } from "./Unreachable";

const asked = vi.fn<() => Promise<Response>>();
const answered = (status: number) => Promise.resolve(new Response("{}", { status }));
const passing = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
const ask = () => act(() => commanded("list_sessions", {}).catch(() => undefined));

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("fetch", asked);
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

describe("a server that is gone", () => {
  for (const gone of [() => Promise.reject(new TypeError("Failed to fetch")), () => answered(502)]) {
    it("is told after a moment, until it is back", async () => {
      asked.mockImplementation(() => answered(200));
      render(
        <I18nProvider i18n={i18n}>
          <Unreachable />
        </I18nProvider>,
      );
      await ask();
      expect(screen.getByRole("status").textContent).toBe("");
      asked.mockImplementation(gone);
      await ask();
      await passing(1_000);
      // It may be a moment's trouble.
      expect(screen.getByRole("status").textContent).toBe("");
      await ask();
      await passing(1_500);
      expect(screen.getByRole("status").textContent).toContain("Arki can't be reached.");
      asked.mockImplementation(() => answered(409));
      await ask();
      expect(screen.getByRole("status").textContent).toBe("");
    });
  }
});
