import type { ChatDelta, ChatMessage, ChatModel, ChatRequest } from '../models/chat-model.ts';
import { toTask } from './delegation-text.ts';

const GREETING = 'I am a small script, not a language model: no key for one is set.';

const ABILITIES = `I understand, one a line:
  run <command>        runs it and shows what it prints; a slow one continues in the background
  start <command>      starts it in the background
  list                 shows what runs
  check <id>, output <id>, kill <id>
  ask <agent> to <what it shall do>
Set OPENAI_API_KEY (and model.name in the agent's file) to talk to a real model.`;

/**
 * Creates the model used without a key: it makes real calls for a handful of phrases, so that promotions and notices
 * can be seen, and says what it is. It keeps no state; everything follows from the transcript.
 */
export function createDemoModel(): ChatModel {
  return {
    name: 'scripted',
    async *stream(request) {
      const { text, calls } = answer(request);
      for (const piece of text.match(/\S+\s*|\s+/g) ?? []) {
        request.signal.throwIfAborted();
        yield { type: 'text', text: piece };
      }
      yield* calls;
    },
  };
}

interface DemoReply {
  readonly text: string;
  readonly calls: readonly ChatDelta[];
}

function answer({ messages, tools }: ChatRequest): DemoReply {
  const results = trailing(messages, 'tool');
  if (results.length > 0)
    return say(results.map(({ text, name }) => toDemoRemark({ name, text })).join('\n\n'));
  const notices = trailing(messages, 'notice');
  if (notices.length > 0)
    return say(notices.map(({ text }) => toDemoRemark({ name: 'notice', text })).join('\n'));
  const said = trailing(messages, 'user').flatMap(({ text }) => readDemoPhrase(text));
  if (said.length === 0) return say(`${GREETING}\n${ABILITIES}`);
  const missing = said.find(({ name }) => tools.every((tool) => tool.name !== name));
  if (missing !== undefined) {
    const names = tools.map(({ name }) => name).join(', ');
    return say(`I have no tool ${missing.name} here. My tools: ${names === '' ? 'none' : names}.`);
  }
  return {
    text: '',
    calls: said.map(({ name, arguments: given }, index) => ({
      type: 'toolCall',
      id: `call_${messages.length}_${index + 1}`,
      name,
      argumentsText: JSON.stringify(given),
    })),
  };
}

function say(text: string): DemoReply {
  return { text, calls: [] };
}

/** Returns the trailing messages of that role. */
function trailing<R extends ChatMessage['role']>(
  messages: readonly ChatMessage[],
  role: R,
): readonly Extract<ChatMessage, { role: R }>[] {
  const before = messages.findLastIndex((message) => message.role !== role);
  return messages.slice(before + 1) as never;
}

/** Call that a phrase requests. */
interface DemoCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

const PHRASES: readonly { readonly form: RegExp; readonly toCall: (words: readonly string[]) => DemoCall }[] =
  [
    { form: /^run (.+)$/i, toCall: ([command]) => ({ name: 'run_command', arguments: { command } }) },
    { form: /^start (.+)$/i, toCall: ([command]) => ({ name: 'start_process', arguments: { command } }) },
    {
      form: /^list( all)?$/i,
      toCall: ([all]) => ({ name: 'list_processes', arguments: { include_completed: all !== undefined } }),
    },
    {
      form: /^check (\S+)$/i,
      toCall: ([process_id]) => ({ name: 'check_process', arguments: { process_id } }),
    },
    {
      form: /^output (\S+)$/i,
      toCall: ([process_id]) => ({ name: 'get_process_output', arguments: { process_id } }),
    },
    {
      form: /^(?:kill|stop) (\S+)$/i,
      toCall: ([process_id]) => ({ name: 'kill_process', arguments: { process_id } }),
    },
    { form: /^ask ([\w-]+)( in background)?( in process| in subprocess)? to (.+)$/i, toCall: toDelegation },
  ];

/** Parses the requested calls, one per line; other lines are ignored. */
function readDemoPhrase(text: string): readonly DemoCall[] {
  return toTask(text).split('\n').flatMap(readLine);
}

function readLine(line: string): readonly DemoCall[] {
  for (const { form, toCall } of PHRASES) {
    const found = form.exec(line.trim());
    if (found !== null) return [toCall(found.slice(1))];
  }
  return [];
}

function toDelegation([agent, background, mode, task]: readonly (string | undefined)[]): DemoCall {
  return {
    name: `delegate_to_${agent}`,
    arguments: {
      task,
      ...(background !== undefined && { background: true }),
      ...(mode !== undefined && { mode: mode.trim() === 'in process' ? 'in_process' : 'subprocess' }),
    },
  };
}

const MAX_SHOWN = 2_000;

/** Describes a tool's answer, or a notice. */
function toDemoRemark({ name, text }: { readonly name: string; readonly text: string }): string {
  if (name === 'notice') return toNoticeRemark(text);
  const answer = parse(text);
  if (answer === null) return shorten(text);
  const data = (answer.data ?? {}) as Readonly<Record<string, unknown>>;
  if (answer.ok === false) {
    const output = typeof data['output'] === 'string' && data['output'] !== '' ? `\n${data['output']}` : '';
    return `${name} did not work: ${shorten(toText(answer.error) + output)}`;
  }
  if (typeof answer.data === 'string') return `${name} answered:\n${shorten(answer.data)}`;
  if (data['status'] === 'backgrounded') {
    return `It continues in the background as ${toText(data['process_id'])}. I will tell you when it ends.`;
  }
  if (Array.isArray(data['processes'])) return toListRemark(data['processes']);
  if (typeof data['output'] === 'string' && 'exit_code' in data) {
    const end = data['exit_code'] === 0 ? 'It worked' : `It ended with code ${toText(data['exit_code'])}`;
    return data['output'] === '' ? `${end} and printed nothing.` : `${end}:\n${shorten(data['output'])}`;
  }
  return shorten(toText(data['message'] ?? answer.data));
}

function toListRemark(processes: readonly unknown[]): string {
  if (processes.length === 0) return 'Nothing runs.';
  return processes
    .map((each) => {
      const { process_id, status, command } = each as Readonly<Record<string, unknown>>;
      return `${toText(process_id)}  ${toText(status)}  ${toText(command)}`;
    })
    .join('\n');
}

/** Extracts the sentences of a notice: lines that are neither markup nor output. */
function toNoticeRemark(text: string): string {
  const sentences = [...text.matchAll(/^<process [^>]*>\n(?<sentence>.+)$/gm)].map(
    ({ groups }) => groups?.['sentence'] ?? '',
  );
  const answers = [...text.matchAll(/^<answer>\n(?<answer>[\s\S]*?)\n<\/answer>$/gm)].map(
    ({ groups }) => groups?.['answer'] ?? '',
  );
  const said = [...sentences, ...answers].map(fromMarkup);
  return said.length === 0 ? 'Something happened; see the notice.' : shorten(said.join('\n'));
}

function fromMarkup(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');
}

function parse(
  text: string,
): { readonly ok?: unknown; readonly data?: unknown; readonly error?: unknown } | null {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value));
}

function shorten(text: string): string {
  return text.length > MAX_SHOWN ? `…${text.slice(-MAX_SHOWN)}` : text;
}
