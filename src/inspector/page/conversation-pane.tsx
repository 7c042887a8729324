import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { ConversationView, OpenQuestion } from '../../live/live-state.ts';
import type { ChatMessage } from '../../models/chat-model.ts';
import { order } from './orders.ts';
import { about, answer, at, live, select, selection, travel } from './state.ts';
import { toAnswerText, toCallText } from './tool-text.ts';
import { toClock, toEndClause, toName } from './words.ts';

/** Messages that are drawn at once; earlier ones on request. */
const SHOWN = 200;

/** Transcript of a conversation as it was at the shown moment, with notices where they entered, and its inbox. */
export function ConversationPane({ conversation }: { readonly conversation: ConversationView }) {
  const list = useRef<HTMLOListElement>(null);
  const shown = useSignal(SHOWN);
  const { id, status, writing, inbox } = conversation;
  const isNow = travel.value === null;
  const past = conversation.transcript.filter(
    (message) => message.at === undefined || message.at <= at.value,
  );
  const messages = past.slice(-shown.value);
  useEffect(() => {
    const element = list.current;
    element?.scrollTo({ top: element.scrollHeight });
  }, [past.length, writing, id]);
  const chosen = selection.value?.id;
  useEffect(() => {
    list.current?.querySelector('.about')?.scrollIntoView({ block: 'center' });
  }, [chosen, id]);
  return (
    <div class="pane conversation" data-pane="conversation">
      <h2>
        {id} <span>{isNow ? status : `at ${toClock(at.value)}`}</span>
        <span class="grow" />
        <span>{isNow && (inbox.length === 0 ? 'inbox empty' : `${inbox.length} in the inbox`)}</span>
      </h2>
      <ol ref={list} class="messages" aria-label="Transcript">
        {past.length > messages.length && (
          <li class="more">
            <button type="button" onClick={() => (shown.value += SHOWN)}>
              {past.length - messages.length} earlier messages
            </button>
          </li>
        )}
        {messages.map((message, index) => (
          <Message key={past.length - messages.length + index} message={message} />
        ))}
        {isNow && writing !== '' && (
          <li class="message assistant writing">
            <span class="who">writes</span>
            <div>{writing}</div>
          </li>
        )}
        {isNow &&
          inbox.map((entry) => (
            <li key={entry.id} class="message waiting">
              <span class="who">in the inbox</span>
              <div>
                {entry.kind === 'message' ? entry.text : toPartText(entry.part)}
                <small>{entry.attention === 'turn' ? 'wakes the agent' : 'is told with the next turn'}</small>
              </div>
            </li>
          ))}
      </ol>
      {isNow && about.value?.kind === 'program' && !about.value.readOnly && status !== 'done' && (
        <SayField id={id} isBusy={status === 'thinking' || status === 'acting'} />
      )}
    </div>
  );
}

const senders = {
  user: 'you',
  assistant: 'agent',
  tool: 'answer',
  notice: 'notice',
  system: 'system',
} as const;

function Message({ message }: { readonly message: ChatMessage }) {
  const time = message.at === undefined ? undefined : toClock(message.at, 1);
  return (
    <li class={`message ${message.role}`}>
      <span class="who" title={time}>
        {senders[message.role]}
      </span>
      <div>
        {message.role === 'notice' ? (
          <Notice message={message} />
        ) : message.role === 'tool' ? (
          <ToolAnswer text={message.text} />
        ) : (
          <>
            {message.text !== '' && <Long text={message.text} />}
            {message.role === 'assistant' &&
              message.toolCalls.map((call) => (
                <Call key={call.id} id={call.id} name={call.name} text={call.argumentsText} />
              ))}
          </>
        )}
      </div>
    </li>
  );
}

/** Call of a tool, with the process that it started. */
function Call({ id, name, text }: { readonly id: string; readonly name: string; readonly text: string }) {
  const started = live.value.processes.find(({ callId }) => callId === id);
  return (
    <div class="call">
      <b>{name}</b> <code title={text}>{toCallText(text)}</code>{' '}
      {started !== undefined && (
        <button type="button" class="link" onClick={() => select({ type: 'process', id: started.id })}>
          → {toName(started)}
        </button>
      )}
    </div>
  );
}

/** Answer of a tool: its sentence and the output, and the text as the model reads it. */
function ToolAnswer({ text }: { readonly text: string }) {
  const answered = toAnswerText(text);
  if (answered === null) return <Long text={text} />;
  return (
    <>
      {answered.message !== '' && <p class={answered.isRefusal ? 'bad' : ''}>{answered.message}</p>}
      {answered.output !== '' && <Long text={answered.output} />}
      <details>
        <summary>as the model reads it</summary>
        <Long text={text} />
      </details>
    </>
  );
}

/** Notice: what it tells about which process, and the text as the model reads it. */
function Notice({ message }: { readonly message: Extract<ChatMessage, { role: 'notice' }> }) {
  const ids = [...new Set(message.completionIds.map((id) => id.split('/')[0] ?? id))];
  const told = live.value.processes.filter(({ id }) => ids.includes(id));
  return (
    <div class={told.some(({ id }) => id === selection.value?.id) ? 'told about' : 'told'}>
      {told.map((view) => (
        <div key={view.id}>
          <button type="button" class="link" onClick={() => select({ type: 'process', id: view.id })}>
            {toName(view)}
          </button>{' '}
          {toEndClause(view) ?? view.status}
        </div>
      ))}
      <details open={told.length === 0}>
        <summary>as the model reads it</summary>
        <Long text={message.text} />
      </details>
    </div>
  );
}

const FOLDED = 600;

/** Text that is folded where it is long. */
function Long({ text }: { readonly text: string }) {
  const isOpen = useSignal(false);
  const isLong = text.length > FOLDED;
  return (
    <>
      <pre>{isLong && !isOpen.value ? `${text.slice(0, FOLDED)}…` : text}</pre>
      {isLong && (
        <button type="button" class="link" onClick={() => (isOpen.value = !isOpen.value)}>
          {isOpen.value ? 'fold' : `all ${text.length.toLocaleString()} characters`}
        </button>
      )}
    </>
  );
}

function toPartText(part: Extract<ConversationView['inbox'][number], { kind: 'notice' }>['part']): string {
  switch (part.type) {
    case 'told':
      return `${part.source}: ${part.text}`;
    case 'due':
      return part.message;
    default:
      return `${part.label ?? part.id}: ${part.type}`;
  }
}

function SayField({ id, isBusy }: { readonly id: string; readonly isBusy: boolean }) {
  const text = useSignal('');
  const say = async () => {
    if (text.value === '') return;
    if ((await order<boolean>('say', { id, text: text.value })) !== null) text.value = '';
  };
  return (
    <form
      class="input"
      onSubmit={(event) => {
        event.preventDefault();
        void say();
      }}
    >
      <input
        aria-label={`Message to ${id}`}
        placeholder="say something to the agent"
        value={text.value}
        onInput={(event) => (text.value = event.currentTarget.value)}
      />
      <button type="submit">say</button>
      {isBusy && (
        <button type="button" onClick={() => void order('interrupt', { id })}>
          interrupt
        </button>
      )}
    </form>
  );
}

/** Question of an agent that waits for a person. */
function Question({ open: { id, question } }: { readonly open: OpenQuestion }) {
  const reply = async (consent: boolean | 'always') => {
    const isTaken = await order<boolean>('answer', { id, consent });
    if (isTaken === false)
      answer.value = {
        text: 'The question was answered already, or is not needed any more.',
        isRefusal: true,
      };
  };
  const { start, always } = question;
  const command =
    start === undefined
      ? JSON.stringify(question.arguments)
      : typeof start.command === 'string'
        ? start.command
        : start.command.join(' ');
  const isAllowed = about.value?.readOnly !== true;
  return (
    <div class="question">
      <div>
        <b>{question.agent}</b> asks: {question.question} <span class="note">{question.reason}</span>
        <code>{command}</code>
      </div>
      {isAllowed && (
        <div class="replies">
          <button type="button" class="primary" onClick={() => void reply(true)}>
            allow
          </button>
          {always !== null && (
            <button type="button" title={always.join('\n')} onClick={() => void reply('always')}>
              always allow {always.join(', ')}
            </button>
          )}
          <button type="button" class="danger" onClick={() => void reply(false)}>
            deny
          </button>
        </div>
      )}
    </div>
  );
}

ConversationPane.Question = Question;
