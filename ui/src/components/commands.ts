/** An action the user can take from anywhere: the palette lists it, its shortcut runs it. */
export type Command = {
  id: string;
  title: string;
  section: string;
  shortcut?: string | undefined;
  run: () => void;
};

/** A key that works only where its place has the focus: shown in the map, run by its own feature. */
export type LocalKey = { section: string; keys: string; title: string };
