/**
 * Decodes pictures and draws them smaller on a canvas: in the page, since the webview decodes them anyway and is
 * sandboxed for it. An animation keeps its first frame. A photo is turned the right way up, and loses what it says of
 * its place and camera.
 */

/** The longer side of a thumbnail, in pixels: twice what is seen, for dense screens. */
const thumbnailSide = 256;

/** Small letters stay legible. */
const jpegQuality = 0.9;

export type Size = { width: number; height: number };

/** Draws a small copy of the picture at a `data:` address, as another one. Rejects where it can't be decoded. */
export async function thumbnailOf(address: string): Promise<string> {
  return onCanvas(await decoded(address), thumbnailSide).toDataURL("image/png");
}

/**
 * Draws a copy of the picture at a `data:` address whose longer side has at most `side` pixels, as another one of at most
 * `mostBytes`. A photo stays JPEG; anything else is PNG, which keeps edges and what is transparent, unless that is too
 * large. Rejects where it can't be decoded.
 */
export async function scaledDown(
  address: string,
  mediaType: string,
  side: number,
  mostBytes: number,
): Promise<string> {
  const picture = await decoded(address);
  if (mediaType !== "image/jpeg") {
    const png = onCanvas(picture, side).toDataURL("image/png");
    if (bytesOf(png) <= mostBytes) return png;
  }
  return onCanvas(picture, side, "white").toDataURL("image/jpeg", jpegQuality);
}

/** The bytes of a `data:` address in Base64, at most two more than there are. */
const bytesOf = (address: string) => Math.ceil(((address.length - address.indexOf(",") - 1) / 4) * 3);

async function decoded(address: string): Promise<HTMLImageElement> {
  const picture = new Image();
  picture.src = address;
  await picture.decode();
  return picture;
}

/** `ground` lies under what is transparent. */
function onCanvas(picture: HTMLImageElement, side: number, ground?: string): HTMLCanvasElement {
  const { width, height } = fitted({ width: picture.naturalWidth, height: picture.naturalHeight }, side);
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext("2d");
  if (!context) throw new Error("This system has no memory left to draw the picture.");
  if (ground) {
    context.fillStyle = ground;
    context.fillRect(0, 0, width, height);
  }
  context.imageSmoothingQuality = "high";
  context.drawImage(picture, 0, 0, width, height);
  return canvas;
}

/** The size of the same shape that fits into a square of this side; never larger than it was. */
export function fitted({ width, height }: Size, side: number): Size {
  const by = Math.min(1, side / Math.max(width, height));
  return { width: Math.max(1, Math.round(width * by)), height: Math.max(1, Math.round(height * by)) };
}
