import { t } from "@lingui/core/macro";
import { Component, type ReactNode } from "react";
import { windowError } from "../platform/platform";
import { Button } from "./Button";
import { ErrorNote } from "./ErrorNote";

type Props = {
  /** What a person would call it, such as "The timeline". */
  part: string;
  /** Once this is another, it is tried anew. */
  about?: unknown;
  /** What of it is shown all the same. */
  kept?: ReactNode;
  children: ReactNode;
};
type State = { failure: { message: string } | null };

/** Keeps a part of the window that can't be drawn from taking the rest with it. */
export class ErrorBoundary extends Component<Props, State> {
  override state: State = { failure: null };

  static getDerivedStateFromError(thrown: unknown): State {
    return { failure: { message: thrown instanceof Error ? thrown.message : String(thrown) } };
  }

  override componentDidUpdate(before: Props) {
    if (this.state.failure !== null && before.about !== this.props.about) this.again();
  }

  private again = () => this.setState({ failure: null });

  override render() {
    const { failure } = this.state;
    if (failure === null) return this.props.children;
    const error = windowError(
      t`${this.props.part} can't be shown: ${failure.message}`,
      t`Reload the window. You lose nothing: runs continue, and the log is complete.`,
    );
    return (
      <div className="failed-part">
        <ErrorNote error={error}>
          <Button small onClick={() => location.reload()}>
            {t`Reload window`}
          </Button>
          <Button small look="quiet" onClick={this.again}>
            {t`Try again`}
          </Button>
        </ErrorNote>
        {this.props.kept}
      </div>
    );
  }
}
