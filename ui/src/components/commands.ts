/** An action the user can take from anywhere: the palette lists it, its shortcut runs it. */
export type Command = {
  id: string;
  title: string;
  /** What in the title others named, such as a path. */
  foreign?: string;
  section: string;
  shortcut?: string | undefined;
  run: () => void;
};

/** A key that works only where its place has the focus: shown in the map, run by its own feature. */
export type LocalKey = { section: string; keys: string; title: string };
