import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";
import { type TextSize, type Theme, textSizes, themes } from "./themes";
import "../../components/checks.css";

const words: Record<Theme, MessageDescriptor> = {
  system: msg`System`,
  light: msg`Light`,
  dark: msg`Dark`,
};

const sizeWords: Record<TextSize, MessageDescriptor> = {
  usual: msg`Usual`,
  large: msg`Large`,
  larger: msg`Larger`,
};

export type Look = {
  theme: Theme;
  onTheme: (theme: Theme) => void;
  textSize: TextSize;
  onTextSize: (size: TextSize) => void;
  /** Its tag, or "system". */
  language: string;
  /** The tags of those to choose from. */
  languages: readonly string[];
  onLanguage: (language: string) => void;
};

export function Appearance(look: Look) {
  const { theme, onTheme, textSize, onTextSize, language, languages, onLanguage } = look;
  const choices = [{ value: "system", words: t`System` }, ...languages.map(inItself)];
  return (
    <div>
      <Choices
        name="theme"
        title={t`Theme`}
        choices={themes.map((value) => ({ value, words: i18n._(words[value]) }))}
        chosen={theme}
        onChoose={onTheme}
      />
      <Choices
        name="text-size"
        title={t`Text size`}
        choices={textSizes.map((value) => ({ value, words: i18n._(sizeWords[value]) }))}
        chosen={textSize}
        onChoose={onTextSize}
      />
      <Choices
        name="language"
        title={t`Language`}
        choices={choices}
        chosen={language}
        onChoose={onLanguage}
      />
    </div>
  );
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
