import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";
import { Fragment, type ReactNode, useId, useState } from "react";
import {
  type Contrast,
  contrasts,
  type Density,
  densities,
  isFontName,
  type Look,
  type TextSize,
  type Theme,
  textSizes,
  themes,
} from "./themes";
import "../../components/checks.css";

const words: Record<Theme, MessageDescriptor> = {
  system: msg`System`,
  light: msg`Light`,
  dark: msg`Dark`,
};

const contrastWords: Record<Contrast, MessageDescriptor> = {
  system: msg`System`,
  normal: msg`Normal`,
  high: msg`High`,
};

const sizeWords: Record<TextSize, MessageDescriptor> = {
  usual: msg`Usual`,
  large: msg`Large`,
  larger: msg`Larger`,
};

const densityWords: Record<Density, MessageDescriptor> = {
  comfortable: msg`Comfortable`,
  compact: msg({ message: "Compact", context: "density" }),
};

export type Chosen = Look & {
  /** Its tag, or "system". */
  language: string;
  /** The tags of those to choose from. */
  languages: readonly string[];
  onLanguage: (language: string) => void;
};

/** `told`: all that it says, to be searched. */
type Part = { title: string; told: string; shown: ReactNode };

export function Appearance(chosen: Chosen) {
  return (
    <div>
      {appearanceParts(chosen).map(({ title, shown }) => (
        <Fragment key={title}>{shown}</Fragment>
      ))}
    </div>
  );
}

/** Each setting of the window's looks, with its control. */
export function appearanceParts(look: Chosen): readonly Part[] {
  const languages = [{ value: "system", words: t`System` }, ...look.languages.map(inItself)];
  const font = t`Code font`;
  return [
    part("theme", t`Theme`, named(themes, words), look.theme, look.onTheme),
    part("contrast", t`Contrast`, named(contrasts, contrastWords), look.contrast, look.onContrast),
    part("text-size", t`Text size`, named(textSizes, sizeWords), look.textSize, look.onTextSize),
    part("density", t`Density`, named(densities, densityWords), look.density, look.onDensity),
    {
      title: font,
      told: `${font} ${look.codeFont}`,
      shown: <CodeFont title={font} font={look.codeFont} onFont={look.onCodeFont} />,
    },
    part("language", t`Language`, languages, look.language, look.onLanguage),
  ];
}

function part<T extends string>(
  name: string,
  title: string,
  choices: readonly Choice<T>[],
  chosen: T,
  onChoose: (value: T) => void,
): Part {
  const told = [title, ...choices.map(({ words }) => words)].join(" ");
  return { title, told, shown: <Choices {...{ name, title, choices, chosen, onChoose }} /> };
}

function named<T extends string>(values: readonly T[], words: Record<T, MessageDescriptor>): Choice<T>[] {
  return values.map((value) => ({ value, words: i18n._(words[value]) }));
}

/** Whoever is in a language they can't read finds their own by its name in itself. */
function inItself(tag: string) {
  const name = new Intl.DisplayNames([tag], { type: "language" }).of(tag);
  return { value: tag, words: name ?? tag, lang: tag };
}

type Choice<T> = { value: T; words: string; lang?: string };
type ChoicesProps<T> = {
  name: string;
  title: string;
  choices: readonly Choice<T>[];
  chosen: T;
  onChoose: (value: T) => void;
};

function Choices<T extends string>({ name, title, choices, chosen, onChoose }: ChoicesProps<T>) {
  return (
    <fieldset className="choices">
      <legend>{title}</legend>
      {choices.map(({ value, words, lang }) => (
        <label key={value} className="choice">
          <input
            type="radio"
            name={name}
            value={value}
            checked={chosen === value}
            onChange={() => onChoose(value)}
          />
          <span lang={lang}>{words}</span>
        </label>
      ))}
    </fieldset>
  );
}

/** Letters that are easily taken for others. */
const sample = "0O 1lI {}[] -> !=";

type FontProps = { title: string; font: string; onFont: (name: string) => void };

/** The family that code is shown in, by its name. It holds as soon as it names one that is installed. */
function CodeFont({ title, font, onFont }: FontProps) {
  const [typed, setTyped] = useState(font);
  const id = useId();
  const fault = faultOf(typed.trim());
  const change = (text: string) => {
    setTyped(text);
    const name = text.trim();
    onFont(faultOf(name) === null ? name : "");
  };
  return (
    <div className="choices">
      <label htmlFor={id} className="choices-title">
        {title}
      </label>
      <input
        id={id}
        className="field"
        value={typed}
        placeholder={t`The system's`}
        spellCheck={false}
        autoComplete="off"
        aria-invalid={fault !== null}
        aria-describedby={`${id}-about`}
        onChange={(event) => change(event.target.value)}
      />
      <p id={`${id}-about`} className="small secondary" role="status">
        {fault}
      </p>
      <code aria-hidden>{sample}</code>
    </div>
  );
}

function faultOf(name: string): string | null {
  if (name === "") return null;
  if (!isFontName(name))
    return t`Use letters, digits, spaces and . _ + - only. Code is in the system's font.`;
  return isInstalled(name) ? null : t`No font with this name is installed. Code is in the system's font.`;
}

/** Told by how wide words get: nothing says which fonts there are. */
function isInstalled(name: string): boolean {
  const pen = document.createElement("canvas").getContext("2d");
  if (!pen) return true;
  const widthIn = (families: string) => {
    pen.font = `40px ${families}`;
    return pen.measureText(sample).width;
  };
  return ["monospace", "serif"].some((other) => widthIn(`"${name}", ${other}`) !== widthIn(other));
}
