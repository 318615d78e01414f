/** Small copies of pictures that were sent. Each is made once, and kept while there is room. */
import { thumbnailOf } from "./raster";

/** Resolves to a `data:` address; to null where the picture is no longer kept. */
export type PictureOf = (contentHash: string) => Promise<string | null>;

/** About 50 KiB each. */
const mostKept = 200;

const kept = new Map<string, Promise<string | null>>();

/** Resolves to a `data:` address; to null where the picture is no longer kept or can't be shown. */
export function sentThumbnail(contentHash: string, pictureOf: PictureOf): Promise<string | null> {
  const known = kept.get(contentHash);
  if (known) return known;
  const coming = pictureOf(contentHash)
    .then((address) => address && thumbnailOf(address))
    .catch(() => {
      // It may be readable the next time.
      kept.delete(contentHash);
      return null;
    });
  kept.set(contentHash, coming);
  const [oldest] = kept.keys();
  if (kept.size > mostKept && oldest !== undefined) kept.delete(oldest);
  return coming;
}
