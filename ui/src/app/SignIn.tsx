/** The first page in a browser that nobody has signed in with. */
import { t } from "@lingui/core/macro";
import { type FormEvent, useState } from "react";
import { Button } from "../components/Button";
import { ErrorNote } from "../components/ErrorNote";
import { asCommandError } from "../platform/platform";
import type { BrowserSignIn, CommandError } from "../protocol/generated";
import "../components/form/form.css";
import "./sign_in.css";

type Props = {
  /** Why the link that was opened signs nobody in. */
  refused: CommandError | null;
  signIn: (by: BrowserSignIn) => Promise<void>;
  onSignedIn: () => void;
};

export function SignIn({ refused, signIn, onSignedIn }: Props) {
  const [token, setToken] = useState("");
  const [error, setError] = useState(refused);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setError(null);
    try {
      await signIn({ token: token.trim() });
      onSignedIn();
    } catch (thrown) {
      setError(asCommandError(thrown));
    }
  };
  return (
    <main className="sign-in" aria-labelledby="sign-in-title">
      <form className="sign-in-form" onSubmit={(event) => void submit(event)}>
        <h1 id="sign-in-title">{t`Sign in to Arki`}</h1>
        <p className="secondary">
          {t`Open the link that “arki serve --ui” prints: it is good once and for five minutes. Or enter a token, such as one that “arki serve --pair decide” made.`}
        </p>
        <label>
          {t`Token`}
          <input
            className="field mono"
            required
            autoComplete="off"
            spellCheck={false}
            value={token}
            onChange={(event) => setToken(event.target.value)}
          />
        </label>
        {error && <ErrorNote error={error} />}
        <div>
          <Button look="primary" type="submit">
            {t`Sign in`}
          </Button>
        </div>
      </form>
    </main>
  );
}
