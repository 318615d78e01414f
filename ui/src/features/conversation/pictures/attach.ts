/**
 * What becomes of files that were chosen, dropped or pasted. Pictures are attached to a draft: each is looked at by the
 * engine, scaled down where it is large, and shown small. Other files are mentioned, folders opened.
 */
import { t } from "@lingui/core/macro";
import { asCommandError, type Platform } from "../../../platform/platform";
import type { Store } from "../../../platform/stores/store";
import type { AttachedFile, Image, PictureFacts } from "../../../protocol/generated";
import { type AttachedPicture, type DraftPictures, picturesOf } from "./draft_pictures";
import { scaledDown, thumbnailOf } from "./raster";

/** What the engine takes with a message (`prompt_images`), of pictures and of bytes in each. */
const mostPictures = 20;
const mostBytes = 5 << 20;
/** What the engine looks at. Nothing larger is read. */
const mostSourceBytes = 20 << 20;
/** The longer side of a picture that is sent, in pixels: models see no more of it (docs/decisions/0037). */
const longestSide = 1568;

type Source = { name: string; data: string; facts: PictureFacts };

/** The draft that gets pictures, and who looks at them. */
type Into = { platform: Platform; draft: Store<DraftPictures> };

export type AttachTo = Into & {
  /** Nothing can be sent here, so that nothing is attached either. */
  isBlocked: boolean;
  /** A session is shown, which another folder would take away: one is asked before it is opened. */
  isSession: boolean;
  onOpenFolder: (path: string) => void;
  /** Writes the mentions of files that are no pictures into the box. */
  onMention: (mentions: readonly string[]) => void;
};

/** Where nothing can be said, a folder can still be opened. */
export async function takeDropped(to: AttachTo): Promise<void> {
  const { pageFiles } = to.platform;
  if (pageFiles !== null) {
    const files = pageFiles.takeDropped();
    return to.isBlocked ? undefined : attachPasted(to, files);
  }
  if (!to.isBlocked) return void (await takeFiles(to, "take_dropped"));
  const path = await to.platform.call("take_dropped_folder", {}).catch(() => null);
  if (path !== null) to.onOpenFolder(path);
}

export async function chooseFiles(to: AttachTo): Promise<void> {
  const { pageFiles } = to.platform;
  if (pageFiles === null) return void (await takeFiles(to, "choose_files"));
  await attachPasted(to, await pageFiles.choose());
}

/** `files`: those that the page was given, which are all there are where the system tells of none. */
export async function takePasted(to: AttachTo, files: readonly File[]): Promise<void> {
  // Of pictures, the page has all there is to know. Of other files it isn't told where they lie.
  const isKnown = to.platform.pageFiles !== null || (files.length > 0 && files.every(isPicture));
  if (isKnown || !(await takeFiles(to, "take_pasted"))) await attachPasted(to, files);
}

/** Takes what the system has. Answers whether there was anything. */
async function takeFiles(
  to: AttachTo,
  from: "choose_files" | "take_dropped" | "take_pasted",
): Promise<boolean> {
  const { platform, draft, isSession, onOpenFolder, onMention } = to;
  try {
    const files = await platform.call(from, {});
    if (files.length === 0) return false;
    const folder = files.find((file) => file.type === "folder");
    if (folder && !isSession && folder.mention === null) onOpenFolder(folder.path);
    else if (folder) draft.update((now) => ({ ...now, folder }));
    const mentions = await attachFiles(to, files);
    if (mentions.length > 0) onMention(mentions);
  } catch (thrown) {
    const { message, hint } = asCommandError(thrown);
    refuse(draft, [`${message} ${hint}`.trim()]);
  }
  return true;
}

const isPicture = (file: File) => file.type.startsWith("image/");

async function attachPasted(to: Into, given: readonly File[]): Promise<void> {
  const { platform, draft } = to;
  const mayBePicture = (file: File) => file.type === "" || isPicture(file);
  const files = given.filter(mayBePicture);
  const reason = platform.pageFiles === null ? placeless : onlyPictures;
  refuse(draft, given.filter((file) => !mayBePicture(file)).map(reason));
  const look = async (file: File): Promise<Source> => {
    const data = await base64Of(file);
    return { name: nameOf(file), data, facts: await platform.call("look_at_picture", { data }) };
  };
  await attachAll(to, files, nameOf, look);
}

/** Attaches the pictures of a message that was sent to the draft that has its words again. */
export async function attachSent(
  platform: Platform,
  draftOf: string,
  sessionId: string,
  pictures: readonly Image[],
): Promise<void> {
  const name = (picture: Image) => t`Picture ${pictures.indexOf(picture) + 1} of ${pictures.length}`;
  const look = async (picture: Image): Promise<Source> => {
    const address = await platform.call("sent_picture", { sessionId, contentHash: picture.contentHash });
    if (address === null) throw new Error(t`The picture is no longer kept.`);
    const data = dataOf(address);
    return { name: name(picture), data, facts: await platform.call("look_at_picture", { data }) };
  };
  await attachAll({ platform, draft: picturesOf(draftOf) }, pictures, name, look);
}

/** Resolves to the mentions of those that are no pictures. */
async function attachFiles(to: Into, files: readonly AttachedFile[]): Promise<string[]> {
  const reasons = files.flatMap((file) => (file.type === "refused" ? [file.reason] : []));
  refuse(to.draft, reasons);
  const pictures = files.filter((file) => file.type === "picture");
  const nameOf = (picture: Source) => picture.name;
  await attachAll(to, pictures, nameOf, async (picture) => picture);
  return files.flatMap((file) => (file.type === "mention" ? [file.mention] : []));
}

let last: Promise<void> = Promise.resolve();

/** One after the other: they stay in order, and a decoded picture takes up to 200 MB. */
async function attachAll<T>(
  { platform, draft }: Into,
  files: readonly T[],
  nameOf: (file: T) => string,
  look: (file: T) => Promise<Source>,
): Promise<void> {
  draft.update((now) => ({ ...now, coming: now.coming + files.length }));
  for (const file of files) {
    last = last.then(async () => {
      try {
        if (draft.get().pictures.length >= mostPictures) throw tooMany();
        const picture = await readied(platform, await look(file));
        draft.update((now) => ({ ...now, pictures: [...now.pictures, picture] }));
      } catch (thrown) {
        const { message, hint } = asCommandError(thrown);
        refuse(draft, [`${nameOf(file)}: ${message} ${hint}`.trim()]);
      } finally {
        draft.update((now) => ({ ...now, coming: now.coming - 1 }));
      }
    });
  }
  await last;
}

/** The page isn't told where a pasted file lies, so that it can't be mentioned. */
const placeless = (file: File) =>
  t`${nameOf(file)}: Only pictures can be pasted here. Drop the file onto the window, or choose it with “Attach files…”.`;

const onlyPictures = (file: File) =>
  t`${nameOf(file)}: Only pictures can be attached in a browser. Mention a file of the folder with “@”.`;

const tooMany = () => new Error(t`It isn't attached: a message can have up to ${mostPictures} pictures.`);

function refuse(draft: Into["draft"], reasons: readonly string[]): void {
  if (reasons.length > 0) draft.update((now) => ({ ...now, refused: [...now.refused, ...reasons] }));
}

let attached = 0;

/** The picture as it is sent. Rejects where it can't be decoded: a model could not see it either. */
async function readied(platform: Platform, source: Source): Promise<AttachedPicture> {
  const { name, facts } = source;
  const address = addressOf(facts.mediaType, source.data);
  const isLarge = Math.max(facts.width, facts.height) > longestSide || facts.bytes > mostBytes;
  const [thumbnail, smaller] = await decoding(async () => [
    await thumbnailOf(address),
    isLarge ? await scaledDown(address, facts.mediaType, longestSide, mostBytes) : null,
  ]);
  attached += 1;
  const picture = { key: attached, name, thumbnail };
  if (smaller === null) return { ...picture, data: source.data, facts, scaledFrom: null };
  const data = dataOf(smaller);
  const scaledFrom = { width: facts.width, height: facts.height };
  return { ...picture, data, facts: await platform.call("look_at_picture", { data }), scaledFrom };
}

async function decoding<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch {
    throw new Error(t`The picture is damaged: it can't be shown. Save it anew.`);
  }
}

const addressOf = (mediaType: string, data: string) => `data:${mediaType};base64,${data}`;
const dataOf = (address: string) => address.slice(address.indexOf(",") + 1);
const nameOf = (file: File) => file.name || t`Pasted picture`;

function base64Of(file: File): Promise<string> {
  if (file.size > mostSourceBytes) {
    throw new Error(t`It is too large: up to ${mostSourceBytes >> 20} MiB can be attached.`);
  }
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(dataOf(String(reader.result)));
    reader.onerror = () => reject(new Error(t`It can't be read.`));
    reader.readAsDataURL(file);
  });
}
