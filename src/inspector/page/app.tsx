import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { ChartPane } from './chart-pane.tsx';
import { ConversationPane } from './conversation-pane.tsx';
import { FactsPane } from './facts-pane.tsx';
import { MachinePane } from './machine-pane.tsx';
import { OutputPane } from './output-pane.tsx';
import { ProcessActions } from './process-actions.tsx';
import { StageView } from './stage-view.tsx';
import {
  about,
  answer,
  filterText,
  hidesEnded,
  live,
  selectedConversation,
  selectedMachine,
  selectedProcess,
  selectedSupervisor,
  selection,
  stepMoment,
} from './state.ts';
import { TimeTravel } from './time-travel.tsx';
import { toName } from './words.ts';

const tabs = ['chart', 'output', 'conversation', 'facts'] as const;
type Tab = (typeof tabs)[number];

/** Pane shown on narrow screens; on wide screens it selects the content of the first pane. */
const tab = signal<Tab>('output');

/** The whole page: the table above, the panes of what is chosen below. */
export function App() {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isTyping =
        event.target instanceof Element && event.target.closest('input, textarea, .xterm') !== null;
      if (event.key === '/' && !isTyping) {
        event.preventDefault();
        document.querySelector<HTMLInputElement>('#filter')?.focus();
      } else if (event.key === 'Escape') {
        answer.value = null;
        if (isTyping && event.target instanceof HTMLInputElement) event.target.blur();
      } else if (!isTyping && (event.key === ',' || event.key === '.'))
        stepMoment(event.key === '.' ? 1 : -1);
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
  return (
    <>
      <Header />
      <Connection />
      <Questions />
      <StageView />
      <Detail />
      <Answer />
    </>
  );
}

function Header() {
  const { processes } = live.value;
  const alive = processes.filter((view) => !('endedAt' in view)).length;
  const waiting = processes.filter(({ awaitsInput }) => awaitsInput !== null).length;
  const failed = processes.filter(({ status }) => ['failed', 'timed_out', 'lost'].includes(status)).length;
  return (
    <header>
      <h1>troupe</h1>
      <span class="chip title" title={about.value?.title ?? ''}>
        <bdi dir="ltr">{about.value?.title ?? '…'}</bdi>
      </span>
      <span class="chip">
        <b>{alive}</b> live
      </span>
      {waiting > 0 && (
        <span class="chip waits">
          <b>{waiting}</b> {waiting === 1 ? 'waits' : 'wait'} for input
        </span>
      )}
      <span class="chip">
        <b>{processes.length - alive}</b> ended
      </span>
      {failed > 0 && (
        <span class="chip bad">
          <b>{failed}</b> failed
        </span>
      )}
      {about.value?.readOnly === true && <span class="chip">read-only</span>}
      <span class="grow" />
      <TimeTravel />
      <label class="check">
        <input
          type="checkbox"
          checked={hidesEnded.value}
          onChange={(event) => (hidesEnded.value = event.currentTarget.checked)}
        />
        hide ended
      </label>
      <input
        id="filter"
        type="search"
        placeholder="filter  /"
        aria-label="Filter processes by name, command, state or owner"
        value={filterText.value}
        onInput={(event) => (filterText.value = event.currentTarget.value)}
      />
    </header>
  );
}

const connectionTexts = {
  local: null,
  open: null,
  connecting: 'Connecting…',
  lost: 'The connection is lost: this is the last known state. The page connects again by itself.',
  refused: 'Access is denied. Open the link that the program printed: its token is new each time.',
} as const;

function Connection() {
  const text = connectionTexts[live.value.connection];
  const warnings = about.value?.warnings ?? [];
  if (text === null && warnings.length === 0) return null;
  return (
    <div class="warning" role="status">
      {[...(text === null ? [] : [text]), ...warnings].map((line) => (
        <div key={line}>{line}</div>
      ))}
    </div>
  );
}

/** Questions wait for a person, so they stand above everything. */
function Questions() {
  const { questions } = live.value;
  if (questions.length === 0) return null;
  return (
    <div class="questions" role="alert">
      {questions.map((each) => (
        <ConversationPane.Question key={each.id} open={each} />
      ))}
    </div>
  );
}

function Detail() {
  const process = selectedProcess.value;
  const conversation = selectedConversation.value;
  const machine = selectedMachine.value;
  const supervisor = selectedSupervisor.value;
  const chosen = selection.value;
  if (machine !== null) {
    return (
      <section class="detail show-chart" aria-label="Chosen machine">
        <MachinePane key={machine.id} machine={machine} />
      </section>
    );
  }
  if (supervisor !== null) {
    return (
      <section class="detail empty" aria-label="Chosen supervisor">
        <p>
          <b>{supervisor.supervisors > 1 ? `${supervisor.supervisors} supervisors` : supervisor.id}</b>:{' '}
          {supervisor.live} live, {supervisor.ended} ended, {supervisor.failed} of them failed. Choose a
          process to see its chart, output and conversation.
        </p>
      </section>
    );
  }
  if (process === null && conversation === null) {
    return (
      <section class="detail empty" aria-label="Chosen process">
        <p>
          {chosen === null
            ? 'Nothing has been started yet. Processes appear here as soon as they are.'
            : 'What the link names is not known here: it was forgotten, or had not begun at this moment.'}
        </p>
      </section>
    );
  }
  return (
    <section class={`detail show-${tab.value}`} aria-label="Chosen process">
      <div class="tabs" role="tablist" aria-label="Panes">
        {tabs.map((name) => (
          <button
            key={name}
            type="button"
            role="tab"
            aria-selected={tab.value === name}
            data-tab={name}
            onClick={() => (tab.value = name)}
          >
            {name}
          </button>
        ))}
      </div>
      {process !== null && (
        <div class="pane side" data-pane="side">
          <h2>
            <i class={`dot ${process.status}`} />
            {toName(process.view)} <span>{process.status.replace('_', ' ')}</span>
            <span class="grow" />
            <span class="switch">
              <button
                type="button"
                aria-pressed={tab.value !== 'facts'}
                onClick={() => (tab.value = 'chart')}
              >
                chart
              </button>
              <button
                type="button"
                aria-pressed={tab.value === 'facts'}
                onClick={() => (tab.value = 'facts')}
              >
                facts
              </button>
            </span>
          </h2>
          <ProcessActions process={process} />
          {tab.value === 'facts' ? <FactsPane process={process} /> : <ChartPane process={process} />}
        </div>
      )}
      {process !== null && <OutputPane key={process.id} process={process} />}
      {conversation !== null && <ConversationPane key={conversation.id} conversation={conversation} />}
    </section>
  );
}

function Answer() {
  const said = answer.value;
  if (said === null) return null;
  return (
    <div class={`answer ${said.isRefusal ? 'refusal' : ''}`} role={said.isRefusal ? 'alert' : 'status'}>
      <span>{said.text}</span>
      <button type="button" aria-label="Close" onClick={() => (answer.value = null)}>
        ×
      </button>
    </div>
  );
}
