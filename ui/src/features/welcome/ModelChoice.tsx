/**
 * Which model answers: one of a server on this computer, one behind a key, or the demo, which needs neither. What is
 * chosen becomes the default.
 */
import { plural, t } from "@lingui/core/macro";
import { type ReactNode, useCallback, useEffect, useId, useState } from "react";
import { Button } from "../../components/Button";
import { visibleWords } from "../../components/code/invisible";
import { VisibleText } from "../../components/code/VisibleText";
import { ErrorNote } from "../../components/ErrorNote";
import type { OnLink } from "../../components/markdown/Markdown";
import { useActs } from "../../components/useActs";
import { useApp, useArki, useCatalogue } from "../../platform/context";
import type { LocalServer } from "../../protocol/generated";
import { KeyChoice } from "./KeyChoice";
import "./model_choice.css";
import { List } from "../../components/List";

const demo = "demo/demo";

type Props = { onChosen: (id: string) => void; onLink: OnLink };

export function ModelChoice({ onChosen, onLink }: Props) {
  const arki = useArki();
  const current = useApp()?.defaultModel ?? "";
  const known = useCatalogue().models.find((one) => one.id === current);
  const name = current === demo ? t`Demo` : (known?.name ?? current);
  const { servers, isLooking, look } = useLocalServers();
  const [withKey, setWithKey] = useState(false);
  const { error, attempt } = useActs();
  const title = useId();
  const choose = (work: () => Promise<string>) =>
    attempt(async () => {
      const id = await work();
      await Promise.all([arki.refreshApp(), arki.refreshCatalogue()]);
      onChosen(id);
      setWithKey(false);
    });
  const byId = async (model: string) => {
    await arki.platform.call("set_default_model", { model });
    return model;
  };
  return (
    <section className="model-choice" aria-labelledby={title}>
      <h3 id={title} className="secondary">{t`Model`}</h3>
      <List className="model-options">
        {servers.map((server) => (
          <li key={server.name}>
            <Server
              server={server}
              current={current}
              onChoose={(model) =>
                void choose(() => arki.platform.call("choose_local_model", { server: server.name, model }))
              }
            />
          </li>
        ))}
        {current !== "" && !servers.some((server) => usedOf(server, current) !== undefined) && (
          <Option
            mark="✓"
            name={<VisibleText text={name} />}
            title={current}
            about={current === demo ? aboutDemo() : t`Your default model, ${current}`}
          />
        )}
        {current !== demo && (
          <Option name={t`Demo`} title={demo} about={aboutDemo()}>
            <Button small onClick={() => void choose(() => byId(demo))}>
              {t`Use the demo`}
            </Button>
          </Option>
        )}
        <Option name={t`A model behind an API key`} about={t`OpenAI, Anthropic, Gemini and others`}>
          {!withKey && (
            <Button small onClick={() => setWithKey(true)}>
              {t`Enter a key`}
            </Button>
          )}
        </Option>
      </List>
      {withKey && (
        <KeyChoice
          onChosen={(model) => void choose(() => byId(model))}
          onCancel={() => setWithKey(false)}
          onLink={onLink}
        />
      )}
      {error && <ErrorNote error={error} />}
      <p className="small secondary model-looked" role="status">
        {isLooking ? (
          t`Looking for Ollama, LM Studio and llama.cpp on this computer…`
        ) : (
          <>
            {foundWords(servers.length)}{" "}
            <button type="button" className="link" onClick={look}>
              {t`Look again`}
            </button>
          </>
        )}
      </p>
    </section>
  );
}

const aboutDemo = () => t`Plays a script: it shows how Arki works, without a key or a network`;

type OptionProps = {
  as?: "li" | "div";
  mark?: ReactNode;
  name: ReactNode;
  title?: string;
  about: string;
  children?: ReactNode;
};

/** A line of the list: the mark of the one in use, its name with what is said of it, and the way to use it. */
function Option({ as: Line = "li", mark, name, title, about, children }: OptionProps) {
  return (
    <Line className="model-option">
      <span className="model-mark" aria-hidden={mark === undefined ? undefined : true}>
        {mark}
      </span>
      <span className="grow">
        <b title={title}>{name}</b>
        <span className="small secondary model-about">{about}</span>
      </span>
      {children}
    </Line>
  );
}

function foundWords(count: number): string {
  if (count === 0) return t`No Ollama, LM Studio or llama.cpp is running on this computer.`;
  return plural(count, { one: "# local server found.", other: "# local servers found." });
}

/** The server's model that is the default. */
const usedOf = (server: LocalServer, id: string) =>
  server.models.find((model) => id === `${server.name}/${model}`);

type ServerProps = { server: LocalServer; current: string; onChoose: (model: string) => void };

function Server({ server, current, onChoose }: ServerProps) {
  const used = usedOf(server, current);
  const [chosen, setChosen] = useState<string | null>(null);
  const model = chosen ?? used ?? server.models[0] ?? "";
  const address = server.baseUrl.replace(/^http:\/\//, "").replace(/\/v1$/, "");
  return (
    <Option
      as="div"
      mark={used !== undefined && "✓"}
      name={<VisibleText text={server.product} />}
      about={
        server.models.length === 0
          ? t`Runs at ${address}, but has no model yet`
          : t`Runs at ${address}, needs no key`
      }
    >
      {server.models.length > 0 && (
        <>
          <select
            className="field model-select"
            aria-label={t`Model of ${visibleWords(server.product)}`}
            value={model}
            onChange={(event) => setChosen(event.target.value)}
          >
            {server.models.map((one) => (
              <option key={one} value={one}>
                {visibleWords(one)}
              </option>
            ))}
          </select>
          <Button
            small
            disabled={model === used}
            aria-label={t`Use ${visibleWords(model)}`}
            onClick={() => onChoose(model)}
          >
            {model === used ? t`In use` : t`Use`}
          </Button>
        </>
      )}
    </Option>
  );
}

function useLocalServers() {
  const { platform } = useArki();
  const [found, setFound] = useState<{ servers: readonly LocalServer[]; isLooking: boolean }>({
    servers: [],
    isLooking: true,
  });
  const [asked, setAsked] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: anew each time it is asked for
  useEffect(() => {
    let isShown = true;
    setFound(({ servers }) => ({ servers, isLooking: true }));
    platform.call("find_local_servers", {}).then(
      (servers) => isShown && setFound({ servers, isLooking: false }),
      // Whatever stands in the way, none was found.
      () => isShown && setFound({ servers: [], isLooking: false }),
    );
    return () => {
      isShown = false;
    };
  }, [platform, asked]);
  return { ...found, look: useCallback(() => setAsked((now) => now + 1), []) };
}
