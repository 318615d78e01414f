import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import type { Image } from "../../../protocol/generated";
import { render } from "../../../testing/render";
import { fitted } from "./raster";
import { SentPictures } from "./SentPictures";

vi.mock("./raster", async (original) => ({
  ...(await original<typeof import("./raster")>()),
  thumbnailOf: async (address: string) => `${address}, small`,
}));

let pictures = 0;
function png(): Image {
  pictures += 1;
  return { mediaType: "image/png", contentHash: `hash ${pictures}`, size: { width: 300, height: 100 } };
}
const source = (image: Element | null) => image?.getAttribute("src");

describe("pictures that were sent", () => {
  it("are shown small, and one of them large in a dialog that gives the focus back", async () => {
    const pictureOf = vi.fn(async (hash: string) => `data:${hash}`);
    const [first, second] = [png(), png()];
    render(<SentPictures pictures={[first, second]} pictureOf={pictureOf} />);
    const button = await screen.findByRole("button", { name: "Picture 2 of 2: show it large" });
    await waitFor(() =>
      expect(source(button.querySelector("img"))).toBe(`data:${second.contentHash}, small`),
    );
    await userEvent.click(button);
    await screen.findByRole("dialog", { name: "Picture 2 of 2" });
    const large = screen.getByRole("img", { name: "Picture 2 of 2" });
    await waitFor(() => expect(source(large)).toBe(`data:${second.contentHash}`));
    expect(screen.getByText("PNG, 300 × 100 pixels")).toBeTruthy();
    await userEvent.keyboard("{Escape}");
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    await waitFor(() => expect(document.activeElement).toBe(button));
  });

  it("are asked for and drawn once, however often they are shown", async () => {
    const pictureOf = vi.fn(async (hash: string) => `data:${hash}`);
    const picture = png();
    const view = render(<SentPictures pictures={[picture, picture]} pictureOf={pictureOf} />);
    await waitFor(() => expect(document.querySelectorAll("img")).toHaveLength(2));
    view.unmount();
    render(<SentPictures pictures={[picture]} pictureOf={pictureOf} />);
    await waitFor(() => expect(document.querySelectorAll("img")).toHaveLength(1));
    expect(pictureOf).toHaveBeenCalledOnce();
  });

  it("say so where they are no longer kept, and are asked for again where they could not be read", async () => {
    render(<SentPictures pictures={[png()]} pictureOf={async () => null} />);
    expect(await screen.findByText("No longer kept")).toBeTruthy();
    const busy = png();
    const fails = render(
      <SentPictures pictures={[busy]} pictureOf={() => Promise.reject(new Error("busy"))} />,
    );
    await waitFor(() => expect(screen.getAllByText("No longer kept")).toHaveLength(2));
    fails.unmount();
    render(<SentPictures pictures={[busy]} pictureOf={async () => "data:there"} />);
    await waitFor(() => expect(source(document.querySelector("img"))).toBe("data:there, small"));
  });
});

describe("a picture that is made smaller", () => {
  it("keeps its shape, and is never made larger", () => {
    expect(fitted({ width: 4000, height: 1000 }, 1568)).toEqual({ width: 1568, height: 392 });
    expect(fitted({ width: 10, height: 9000 }, 1568)).toEqual({ width: 2, height: 1568 });
    expect(fitted({ width: 9000, height: 1 }, 100)).toEqual({ width: 100, height: 1 });
    expect(fitted({ width: 30, height: 20 }, 1568)).toEqual({ width: 30, height: 20 });
  });
});
