import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { WriteResult } from '../../../machines/process/events.ts';
import { toErrorText } from '../../config/error-text.ts';
import { formatBytes } from '../../output/cut-text.ts';
import type { OutputTimes } from '../../output/output-times.ts';
import { order, orderAloud, toBase64 } from './orders.ts';
import type { StagedProcess } from './staged-process.ts';
import { about, answer, live, travel } from './state.ts';
import type { OutputTerminal } from './terminal.ts';

/** Pause of a movement in time after which the output is drawn, in ms. */
const SETTLE_MS = 150;

/** Output of a process in a terminal: as it is, or as it was at the shown moment. */
export function OutputPane({ process: { view, endedAt } }: { readonly process: StagedProcess }) {
  const element = useRef<HTMLDivElement>(null);
  const terminal = useRef<OutputTerminal | null>(null);
  const search = useSignal<string | null>(null);
  /** The times of the output are unknown, as without a log file: the whole output is shown for each moment. */
  const isUndated = useSignal(false);
  /** Reason why reading the output stopped. */
  const refusal = useSignal<string | null>(null);
  const { id, output } = view;
  const size = view.terminal?.type === 'terminal' ? view.terminal : null;
  const isLive = endedAt === null;
  const mayWrite = isLive && travel.value === null && about.value?.readOnly === false;
  const takesKeys = mayWrite && size !== null;
  const moment = travel.value;

  useEffect(() => {
    const leave = new AbortController();
    const open = async () => {
      if (moment !== null) await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
      if (leave.signal.aborted) return;
      const [{ openTerminal }, until] = await Promise.all([import('./terminal.ts'), readMarks(id, moment)]);
      if (leave.signal.aborted || element.current === null) return;
      refusal.value = null;
      isUndated.value = until !== null && until.marks.length === 0;
      element.current.replaceChildren();
      terminal.current = openTerminal(element.current, {
        ...{ id, size, until },
        totalBytes: () => live.value.processes.find((each) => each.id === id)?.output.bytes ?? 0,
        onRefused: (why) => {
          refusal.value = why;
        },
        onData: takesKeys ? (text) => void type(id, text) : null,
      });
    };
    open().catch((error: unknown) => {
      refusal.value = `the page could not load it (${toErrorText(error)}). Reload the page.`;
    });
    return () => {
      leave.abort();
      terminal.current?.dispose();
      terminal.current = null;
    };
  }, [id, moment, takesKeys, size?.columns, size?.rows]);

  const find = (direction: 1 | -1) => {
    if (search.value === null || search.value === '') return;
    if (terminal.current?.find(search.value, direction) !== true)
      answer.value = { text: `The shown output does not contain “${search.value}”.`, isRefusal: true };
  };
  return (
    <div class="pane output" data-pane="output">
      <h2>
        output
        <span title={output.logFile ?? undefined}>
          {output.lines === null
            ? ''
            : `${output.lines.toLocaleString()} ${output.lines === 1 ? 'line' : 'lines'} · `}
          {formatBytes(output.bytes)}
          {moment !== null &&
            (isUndated.value ? '; its times are unknown, so all is shown' : ' now; shown as it was')}
          {size !== null && ` · terminal ${size.columns}×${size.rows}`}
        </span>
        <span class="grow" />
        <SearchField search={search} find={find} />
        {size !== null && mayWrite && (
          <button type="button" onClick={() => terminal.current?.focus()}>
            type
          </button>
        )}
      </h2>
      {output.degraded !== null && <p class="warning">{output.degraded}</p>}
      {refusal.value !== null && (
        <p class="warning" role="alert">
          The output ends here, it cannot be read on: {refusal.value}
        </p>
      )}
      <div class="terminal" ref={element} />
      {mayWrite && size !== null && <SizeField id={id} columns={size.columns} rows={size.rows} />}
      {mayWrite && size === null && view.takesInput && (
        <InputField
          id={id}
          prompt={view.awaitsInput?.prompt ?? null}
          isSecret={view.awaitsInput?.kind === 'secret'}
        />
      )}
    </div>
  );
}

/** Button that becomes a field; `search` is `null` while it is a button. */
function SearchField({
  search,
  find,
}: {
  readonly search: Signal<string | null>;
  readonly find: (direction: 1 | -1) => void;
}) {
  if (search.value === null)
    return (
      <button type="button" onClick={() => (search.value = '')}>
        search
      </button>
    );
  return (
    <input
      type="search"
      aria-label="Search the output; Enter finds the next, Shift+Enter the previous"
      placeholder="search"
      ref={(input) => input?.focus()}
      value={search.value}
      onInput={(event) => (search.value = event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') find(event.shiftKey ? -1 : 1);
        if (event.key === 'Escape') search.value = null;
      }}
    />
  );
}

async function readMarks(id: string, time: number | null) {
  if (time === null) return null;
  const response = await fetch(`api/times?id=${encodeURIComponent(id)}`);
  if (!response.ok) return null;
  const { marks } = (await response.json()) as OutputTimes;
  return { time, marks };
}

/** Longer text is pasted, so that a program can tell it from keys. */
const MAX_TYPED = 64;

async function type(id: string, text: string) {
  const isPaste = text.length > MAX_TYPED || text.includes('\n');
  const result = await (isPaste
    ? order<WriteResult>('paste', { id, text })
    : order<WriteResult>('write', { id, data: toBase64(text) }));
  if (result !== null && !result.ok) answer.value = { text: result.error, isRefusal: true };
}

function sayWritten(result: WriteResult): string {
  return result.ok ? `${result.bytesWritten} bytes written.` : result.error;
}

/** Line for the input of a process without a terminal. */
function InputField({
  id,
  prompt,
  isSecret,
}: {
  readonly id: string;
  readonly prompt: string | null;
  readonly isSecret: boolean;
}) {
  const text = useSignal('');
  const send = async () => {
    const result = await orderAloud<WriteResult>('write', {
      params: { id, data: toBase64(`${text.value}\n`) },
      say: sayWritten,
    });
    if (result?.ok === true) text.value = '';
  };
  return (
    <form
      class="input"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <input
        class={isSecret ? 'secret' : ''}
        autocomplete="off"
        aria-label="Line for the input of the process"
        placeholder={prompt ?? 'write a line to its input'}
        value={text.value}
        onInput={(event) => (text.value = event.currentTarget.value)}
      />
      <button type="submit">send</button>
      <button
        type="button"
        title="The process reads end-of-file"
        onClick={() =>
          void orderAloud<WriteResult>('endInput', {
            params: { id },
            say: (result) => (result.ok ? 'Its input is ended.' : result.error),
          })
        }
      >
        end input
      </button>
    </form>
  );
}

const sizes = ['80×24', '120×40', '200×50'] as const;

function SizeField({
  id,
  columns,
  rows,
}: {
  readonly id: string;
  readonly columns: number;
  readonly rows: number;
}) {
  const own = `${columns}×${rows}`;
  const resize = (value: string) => {
    const [width, height] = value.split('×').map(Number);
    return orderAloud<WriteResult>('resize', {
      params: { id, size: { columns: width, rows: height } },
      say: (result) => (result.ok ? `The terminal has ${value} characters.` : result.error),
    });
  };
  return (
    <form class="input" onSubmit={(event) => event.preventDefault()}>
      <label>
        size{' '}
        <select value={own} onChange={(event) => void resize(event.currentTarget.value)}>
          {[...new Set([own, ...sizes])].map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
      </label>
      <span class="grow" />
      {['C-c', 'C-d', 'Enter', 'Escape'].map((key) => (
        <button
          key={key}
          type="button"
          onClick={() => void order('sendKeys', { id, order: { keys: [key] } })}
        >
          {key}
        </button>
      ))}
    </form>
  );
}
