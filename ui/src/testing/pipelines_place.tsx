/** The pipelines, opened on a fake, and the presses that its tests share. */
import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { vi } from "vitest";
import { PipelinesPlace } from "../features/pipelines/PipelinesPlace";
import type { Fake } from "./fake";
import { renderOn } from "./render";

/** Opens the pipelines on a folder; a gate shows the id of its approval. */
export async function openPipelines(fake: Fake, folder: string | null = "/home/ada/code/arki") {
  const onSession = vi.fn();
  await renderOn(
    fake,
    <PipelinesPlace
      open
      folder={folder}
      onSession={onSession}
      gate={({ approvalId }) => <p>{`gate ${approvalId}`}</p>}
    />,
  );
  await screen.findByRole("region", { name: "Pipelines" });
  return { onSession };
}
export const press = async (name: string | RegExp) =>
  userEvent.click(await screen.findByRole("button", { name }));
export const tab = async (name: string) => userEvent.click(await screen.findByRole("tab", { name }));
export const step = (name: string) => screen.findByRole("button", { name });
export const described = (element: Element) =>
  document.getElementById(element.getAttribute("aria-describedby") ?? "")?.textContent;
