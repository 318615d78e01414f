/** A run's steps as a graph by what they need, or as a list where there are too many for a picture. */
import { t } from "@lingui/core/macro";
import { type KeyboardEvent, useId, useMemo, useRef, useState } from "react";
import { readingKey } from "../../components/direction";
import { ShowMore } from "../../components/ShowMore";
import type { PipelineStepEntry } from "../../protocol/generated";
import { type Cell, type Graph, graphOf, neighbour } from "./layers";
import { stepFacts, stepSign, stepWeight, stepWords } from "./words";

type Props = {
  steps: readonly PipelineStepEntry[];
  selected: string;
  /** How long a step has been at work; null where it isn't. */
  workingMs: (step: PipelineStepEntry) => number | null;
  onSelect: (step: string) => void;
};

export function StepGraph(props: Props) {
  const { steps } = props;
  // The steps change with every event, what they need never does.
  const shape = steps.map(({ step, needs }) => `${step}<${needs.join(",")}`).join(";");
  const known = useRef({ shape: "", graph: null as Graph | null });
  const graph = useMemo(() => {
    if (known.current.shape !== shape) known.current = { shape, graph: graphOf(steps) };
    return known.current.graph;
  }, [shape, steps]);
  return graph === null ? <StepList {...props} /> : <Drawn {...props} graph={graph} />;
}

function Drawn({ steps, selected, workingMs, onSelect, graph }: Props & { graph: Graph }) {
  const root = useRef<HTMLOListElement>(null);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const ends: Record<string, string | undefined> = { Home: steps[0]?.step, End: steps.at(-1)?.step };
    const next = ends[event.key] ?? neighbour(graph, selected, readingKey(event.key));
    if (next === null) return;
    event.preventDefault();
    onSelect(next);
    root.current?.querySelector<HTMLElement>(`[data-step="${next}"]`)?.focus();
  };
  const isNear = ({ from, to }: { from: string; to: string }) => from === selected || to === selected;
  const size = { "--columns": graph.columns, "--rows": graph.rows } as object;
  return (
    <div className="step-graph" style={size}>
      <ol ref={root} className="step-cells" aria-label={t`Steps`} onKeyDown={onKeyDown}>
        {steps.map((step) => {
          const cell = graph.places.get(step.step) ?? { column: 0, row: 0 };
          const before = graph.lines.filter(({ to }) => to === step.step);
          const near = before.some((line) => isNear(line)) ? "near" : "";
          return (
            <li
              key={step.step}
              className={before.length > 0 ? `follows ${near}` : undefined}
              style={{ gridColumn: cell.column + 1, gridRow: cell.row + 1 }}
            >
              <StepButton
                step={step}
                workingMs={workingMs(step)}
                isSelected={step.step === selected}
                tabIndex={step.step === selected ? 0 : -1}
                onSelect={onSelect}
              />
            </li>
          );
        })}
      </ol>
      <svg
        className="step-lines"
        viewBox={`0 0 ${graph.columns} ${graph.rows}`}
        preserveAspectRatio="none"
        aria-hidden="true"
      >
        {graph.lines.map((line) => (
          <path
            key={`${line.from} ${line.to}`}
            d={pathOf(line.cells)}
            className={isNear(line) ? "step-line near" : "step-line"}
          />
        ))}
      </svg>
    </div>
  );
}

/** The part of a cell that is left empty before and after a step; the style sheet has the same. */
const gap = 0.08;

export function pathOf(cells: readonly Cell[]): string {
  const [first, ...rest] = cells;
  if (!first) return "";
  let x = first.column + 1 - gap;
  let y = first.row + 0.5;
  let path = `M ${x} ${y}`;
  for (const cell of rest) {
    const [nextX, nextY] = [cell.column + gap, cell.row + 0.5];
    const middle = (x + nextX) / 2;
    path += ` C ${middle} ${y} ${middle} ${nextY} ${nextX} ${nextY}`;
    if (cell !== rest.at(-1)) path += ` L ${cell.column + 1 - gap} ${nextY}`;
    [x, y] = [cell.column + 1 - gap, nextY];
  }
  return path;
}

type ButtonProps = {
  step: PipelineStepEntry;
  workingMs: number | null;
  isSelected: boolean;
  tabIndex?: number;
  onSelect: (step: string) => void;
};

function StepButton({ step, workingMs, isSelected, tabIndex, onSelect }: ButtonProps) {
  const described = useId();
  const facts = stepFacts(step, workingMs);
  const needs = step.needs.join(", ");
  return (
    <>
      <button
        type="button"
        className={`step step-${step.state}`}
        data-step={step.step}
        aria-pressed={isSelected}
        aria-describedby={described}
        tabIndex={tabIndex}
        title={`${step.step}: ${stepWords(step.state)}`}
        onClick={() => onSelect(step.step)}
      >
        <span className="step-sign" aria-hidden>
          {stepSign(step.state)}
        </span>
        <span className="step-name cut">{step.step}</span>
        <span className="step-facts small secondary cut" aria-hidden>
          {facts || step.adapter}
        </span>
      </button>
      <span id={described} className="sr-only">
        {[stepWords(step.state), facts, step.adapter, needs && t`needs ${needs}`].filter(Boolean).join(", ")}
      </span>
    </>
  );
}

const firstSteps = 200;

function StepList({ steps, selected, workingMs, onSelect }: Props) {
  const [shown, setShown] = useState(firstSteps);
  const sorted = useMemo(() => steps.toSorted((a, b) => stepWeight(a.state) - stepWeight(b.state)), [steps]);
  return (
    <div className="step-list">
      <p className="small secondary">{t`Too many steps for a graph. Those that need a look come first.`}</p>
      <ol aria-label={t`Steps`}>
        {sorted.slice(0, shown).map((step) => (
          <li key={step.step}>
            <StepButton
              step={step}
              workingMs={workingMs(step)}
              isSelected={step.step === selected}
              onSelect={onSelect}
            />
          </li>
        ))}
      </ol>
      {sorted.length > shown && (
        <ShowMore hidden={sorted.length - shown} what="rows" onMore={() => setShown(shown * 2)} />
      )}
    </div>
  );
}
