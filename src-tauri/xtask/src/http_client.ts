// The client itself.

/** An error of the server, by its code (docs/errors.md); `UNREACHABLE` where none answered. */
export class ArkiError extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly hint: string,
    /** Of HTTP; 0 where nobody answered. */
    readonly status: number,
  ) {
    super(message);
    this.name = "ArkiError";
  }
}

export type ArkiOptions = {
  /** As `arki serve` prints it, such as `http://127.0.0.1:4870`. */
  url: string;
  token: string;
  /** Names the program: each has an open folder and frames of its own. */
  client?: string;
};

/** A stored event, with the cursor to go on from; or what comes between, which has none. */
export type Told =
  | { cursor: string; event: Event }
  | { cursor: null; type: "output.delta" | "heartbeat"; data: unknown };

export type Listening = {
  /** The cursor of the last event that was read. Absent: from now on, or from the run's beginning. */
  after?: string;
  signal?: AbortSignal;
};

type Step<Name extends keyof Commands> = Commands[Name] extends { step: infer S } ? S : never;

export type Arki = ReturnType<typeof arki>;

/** A client of one server. Needs `fetch`: browsers, Node, Deno and Bun have it. */
export function arki({ url, token, client }: ArkiOptions) {
  const base = url.replace(/\/+$/, "");

  async function asked(method: string, path: string, body?: unknown, more: HeadersInit = {}, signal?: AbortSignal) {
    const headers = new Headers(more);
    headers.set("authorization", `Bearer ${token}`);
    if (client !== undefined) headers.set("arki-client", client);
    if (body !== undefined) headers.set("content-type", "application/json");
    const init: RequestInit = { method, headers };
    if (body !== undefined) init.body = JSON.stringify(body);
    if (signal !== undefined) init.signal = signal;
    const answer = await fetch(base + path, init).catch((cause: unknown) => {
      if (signal?.aborted) throw cause;
      throw new ArkiError("UNREACHABLE", String(cause), "See whether `arki serve` runs there.", 0);
    });
    if (answer.ok) return answer;
    const told = (await answer.json().catch(() => ({}))) as Partial<CommandError>;
    throw new ArkiError(told.code ?? "HTTP", told.message ?? answer.statusText, told.hint ?? "", answer.status);
  }

  const get = async <T>(path: string): Promise<T> => (await asked("GET", path)).json() as Promise<T>;
  const post = async <T>(path: string, body: unknown, key?: string): Promise<T> =>
    (await asked("POST", path, body, key === undefined ? {} : { "idempotency-key": key })).json() as Promise<T>;
  const id = encodeURIComponent;

  async function* streamed(path: string, after: string | undefined, signal?: AbortSignal): AsyncGenerator<Told> {
    const headers: Record<string, string> = after === undefined ? {} : { "last-event-id": after };
    const answer = await asked("GET", path, undefined, headers, signal);
    let block: Record<string, string> = {};
    for await (const line of lines(answer)) {
      if (line === "") {
        const told = toldBy(block);
        if (told !== null) yield told;
        block = {};
        continue;
      }
      const [name, value] = [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1)];
      block[name] = value.replace(/^ /, "");
    }
  }

  /** Goes on behind the last event where the connection breaks. */
  async function* events(path: string, { after, signal }: Listening, isLast: (event: Event) => boolean) {
    let cursor = after;
    for (;;) {
      try {
        for await (const told of streamed(path, cursor, signal)) {
          if (told.cursor !== null) cursor = told.cursor;
          yield told;
          if (told.cursor !== null && isLast(told.event)) return;
        }
      } catch (thrown) {
        if (signal?.aborted) return;
        if (thrown instanceof ArkiError && thrown.status !== 0) throw thrown;
      }
      await new Promise((resolve) => setTimeout(resolve, 1000));
      if (signal?.aborted) return;
    }
  }

  return {
    runs: {
      /** `key`: the same request under it starts one run, however often it is sent. */
      start: (request: RunRequest, key?: string) => post<StartedRun>("/v1/runs", request, key),
      list: (active = false) => get<RunSummary[]>(`/v1/runs${active ? "?active=true" : ""}`),
      get: (run: string) => get<RunSummary>(`/v1/runs/${id(run)}`),
      stop: (run: string) => post<RunSummary>(`/v1/runs/${id(run)}/stop`, {}),
      pause: (run: string) => post<RunSummary>(`/v1/runs/${id(run)}/pause`, {}),
      resume: (run: string) => post<RunSummary>(`/v1/runs/${id(run)}/resume`, {}),
      steer: (run: string, say: SteerRequest) => post<{ messageId: string }>(`/v1/runs/${id(run)}/steer`, say),
      /** Ends with the run. */
      events: (run: string, listening: Listening = {}) =>
        events(`/v1/runs/${id(run)}/events`, listening, ({ type }) => ends.has(type)),
    },
    sessions: {
      list: () => get<SessionSummary[]>("/v1/sessions"),
      /** Up to 1,000 of them, from this number on. */
      events: (session: string, from = 1) =>
        get<{ events: Event[]; hasMore: boolean }>(`/v1/sessions/${id(session)}/events?from=${from}`),
      export: async (session: string, format: ExportFormat) =>
        (await asked("GET", `/v1/sessions/${id(session)}/export?format=${format}`)).text(),
    },
    approvals: {
      list: () => get<ApprovalSummary[]>("/v1/approvals"),
      decide: (approval: string, decision: DecisionRequest, key?: string) =>
        post<Record<string, never>>(`/v1/approvals/${id(approval)}`, decision, key),
    },
    /** The events of all sessions or of one, for ever. */
    events: ({ session, ...listening }: Listening & { session?: string } = {}) =>
      events(`/v1/events${session === undefined ? "" : `?session=${id(session)}`}`, listening, () => false),
    access: () => get<BrowserAccess>("/v1/access"),
    /** Any command of the window. */
    command: <Name extends keyof Commands>(name: Name, params: Commands[Name]["params"]) =>
      post<Commands[Name]["result"]>(`/v1/commands/${name}`, params),
    /** The same, with each step that it tells. */
    commandInSteps: async <Name extends keyof Commands>(
      name: Name,
      params: Commands[Name]["params"],
      onStep: (step: Step<Name>) => void,
    ): Promise<Commands[Name]["result"]> => {
      const answer = await asked("POST", `/v1/commands/${name}`, params, { accept: "application/x-ndjson" });
      for await (const line of lines(answer)) {
        const told = JSON.parse(line) as { step?: Step<Name>; result?: unknown; error?: CommandError };
        if ("step" in told) onStep(told.step as Step<Name>);
        else if ("result" in told) return told.result as Commands[Name]["result"];
        else if (told.error) throw new ArkiError(told.error.code, told.error.message, told.error.hint, 200);
      }
      throw new ArkiError("UNREACHABLE", "The answer ended early.", "Ask again.", 0);
    },
  };
}

const ends: ReadonlySet<string> = new Set(["run.completed", "run.failed", "run.cancelled"]);

function toldBy({ id, event, data }: Record<string, string>): Told | null {
  if (data === undefined) return null;
  if (id !== undefined) return { cursor: id, event: JSON.parse(data) as Event };
  return { cursor: null, type: event === "output.delta" ? event : "heartbeat", data: JSON.parse(data) as unknown };
}

async function* lines(answer: Response): AsyncGenerator<string> {
  if (answer.body === null) return;
  const reader = answer.body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      text += decoder.decode(value, { stream: !done });
      const whole = text.split("\n");
      text = whole.pop() ?? "";
      yield* whole;
      if (done) return;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
