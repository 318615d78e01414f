/**
 * The pictures that go with a message which is still being written, and folders that wait for a word of the user. They are kept for each draft, as its words are,
 * while one looks at another session.
 */
import { createStore, type Store } from "../../../platform/stores/store";
import type { PictureFacts } from "../../../protocol/generated";

export type AttachedPicture = {
  /** Tells it from others of the same name. */
  key: number;
  name: string;
  /** What is sent, in Base64. */
  data: string;
  /** Of what is sent. */
  facts: PictureFacts;
  /** A small copy, as a `data:` address. */
  thumbnail: string;
  /** Its size before it was scaled down, in pixels; null where it is sent as it was. */
  scaledFrom: { width: number; height: number } | null;
};

/** A folder that was dropped: the user says whether to open or to mention it. */
export type DroppedFolder = { name: string; path: string; mention: string | null };

export type DraftPictures = {
  /** The one that was dropped last. */
  folder: DroppedFolder | null;
  pictures: readonly AttachedPicture[];
  /** How many are being read and scaled. */
  coming: number;
  /** Why files could not be attached, a sentence each. */
  refused: readonly string[];
};

const none: DraftPictures = { folder: null, pictures: [], coming: 0, refused: [] };

const drafts = new Map<string, Store<DraftPictures>>();

export function picturesOf(draftOf: string): Store<DraftPictures> {
  const known = drafts.get(draftOf);
  if (known) return known;
  const draft = createStore(none);
  drafts.set(draftOf, draft);
  return draft;
}

/** Takes these out: they were sent, or the user changed their mind. What was added meanwhile stays. */
export function takeOut(draft: Store<DraftPictures>, gone: readonly AttachedPicture[]): void {
  draft.update((now) => ({ ...now, pictures: now.pictures.filter((one) => !gone.includes(one)) }));
}

export function dismissRefusals(draft: Store<DraftPictures>): void {
  draft.update((now) => (now.refused.length === 0 ? now : { ...now, refused: [] }));
}
