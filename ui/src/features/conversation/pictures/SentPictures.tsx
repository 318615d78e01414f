import { t } from "@lingui/core/macro";
import { useEffect, useState } from "react";
import { Dialog } from "../../../components/Dialog";
import { List } from "../../../components/List";
import type { Image } from "../../../protocol/generated";
import { thumbnailOf } from "./raster";
import "./sent_pictures.css";

/** Resolves to a `data:` address; to null where the picture is no longer kept. */
export type PictureOf = (contentHash: string) => Promise<string | null>;

type Props = { pictures: readonly Image[]; pictureOf: PictureOf };

/** The pictures of a message that was sent, small; each opens large. */
export function SentPictures({ pictures, pictureOf }: Props) {
  const [large, setLarge] = useState<number | null>(null);
  const shown = large === null ? undefined : pictures[large];
  const nameOf = (place: number) => t`Picture ${place + 1} of ${pictures.length}`;
  return (
    <>
      <List className="sent-pictures" aria-label={t`Pictures of this message`}>
        {pictures.map((picture, place) => (
          <li key={`${place} ${picture.contentHash}`}>
            <SentPicture
              picture={picture}
              pictureOf={pictureOf}
              name={nameOf(place)}
              onOpen={() => setLarge(place)}
            />
          </li>
        ))}
      </List>
      {shown && large !== null && (
        <LargePicture
          picture={shown}
          pictureOf={pictureOf}
          name={nameOf(large)}
          onClose={() => setLarge(null)}
        />
      )}
    </>
  );
}

type OneProps = { picture: Image; pictureOf: PictureOf; name: string };

function SentPicture({ picture, pictureOf, name, onOpen }: OneProps & { onOpen: () => void }) {
  const { contentHash, size } = picture;
  const address = useAddress(contentHash, pictureOf, sentThumbnail);
  // It has its place before it is there, so that nothing moves.
  const shape = size ? { aspectRatio: `${size.width} / ${size.height}` } : undefined;
  if (address === null) return <p className="sent-picture gone small secondary">{t`No longer kept`}</p>;
  return (
    <button
      type="button"
      className="sent-picture"
      style={shape}
      aria-label={t`${name}: show it large`}
      title={t`Show it large`}
      onClick={onOpen}
    >
      {address && <img src={address} alt="" />}
    </button>
  );
}

function LargePicture({ picture, pictureOf, name, onClose }: OneProps & { onClose: () => void }) {
  const { contentHash, mediaType, size } = picture;
  const address = useAddress(contentHash, pictureOf, wholePicture);
  const type = mediaType.replace("image/", "").toUpperCase();
  return (
    <Dialog title={name} open onClose={onClose} wide>
      <p className="small secondary">{size ? t`${type}, ${size.width} × ${size.height} pixels` : type}</p>
      {address === null ? (
        <p>{t`The picture is no longer kept.`}</p>
      ) : (
        <img className="large-picture" src={address} width={size?.width} height={size?.height} alt={name} />
      )}
    </Dialog>
  );
}

const wholePicture = (contentHash: string, pictureOf: PictureOf) => pictureOf(contentHash);

/** Undefined until it is known. */
function useAddress(
  contentHash: string,
  pictureOf: PictureOf,
  find: (contentHash: string, pictureOf: PictureOf) => Promise<string | null>,
): string | null | undefined {
  const [address, setAddress] = useState<string | null>();
  useEffect(() => {
    let left = false;
    find(contentHash, pictureOf).then(
      (found) => !left && setAddress(found),
      () => !left && setAddress(null),
    );
    return () => {
      left = true;
    };
  }, [contentHash, pictureOf, find]);
  return address;
}

/** Small copies are made once each, and kept while there is room: about 50 KiB each. */
const mostKept = 200;

const kept = new Map<string, Promise<string | null>>();

/** Resolves to a `data:` address; to null where the picture is no longer kept or can't be shown. */
function sentThumbnail(contentHash: string, pictureOf: PictureOf): Promise<string | null> {
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
