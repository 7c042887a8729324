import type { ChatMessage, ScriptedStep } from '../../src/index.ts';

/** What the agent says, in place of a language model. The programs and their screens are real. */
export function createScript({
  serverFile,
  quietSeconds,
}: {
  readonly serverFile: string;
  readonly quietSeconds: number;
}): readonly ScriptedStep[] {
  return [
    {
      text: 'I start the server in a terminal and wait until it answers.',
      calls: [
        {
          name: 'start_process',
          arguments: {
            command: `node ${JSON.stringify(serverFile)}`,
            label: 'server',
            interactive: true,
            ready_line: 'listening on',
          },
        },
      ],
    },
    (messages) => ({
      calls: [
        {
          name: 'wait_for',
          arguments: {
            process_id: idOf(messages, 'server'),
            http: addressIn(messages),
            timeout_seconds: 20,
          },
        },
      ],
    }),
    {
      text: 'It answers. Now the editor.',
      calls: [
        {
          name: 'start_process',
          arguments: { command: 'vim -u NONE -N -n notes.txt', label: 'editor', interactive: true },
        },
      ],
    },
    (messages) => ({
      calls: [
        {
          name: 'wait_for',
          arguments: { process_id: idOf(messages, 'editor'), text: 'notes.txt', timeout_seconds: 20 },
        },
      ],
    }),
    (messages) => ({
      text: 'I type a line, and look at what became of it.',
      calls: [
        {
          name: 'send_keys',
          arguments: {
            process_id: idOf(messages, 'editor'),
            text: `oThe server is at ${addressIn(messages)}`,
          },
        },
      ],
    }),
    (messages) => ({
      calls: [
        {
          name: 'watch_process',
          arguments: { process_id: idOf(messages, 'editor'), interval_seconds: quietSeconds },
        },
      ],
    }),
    {
      text: 'A person may want to add a line. I do something else, and get a notice when the typing stops.',
    },
    // Woken by the notice:
    (messages) => ({
      text: 'The screen has gone quiet. I save what is there.',
      calls: [
        {
          name: 'send_keys',
          arguments: { process_id: idOf(messages, 'editor'), keys: ['Escape'] },
        },
      ],
    }),
    (messages) => ({
      calls: [
        {
          name: 'send_keys',
          arguments: {
            process_id: idOf(messages, 'editor'),
            text: ':wq',
            press_enter: true,
            then_capture: false,
          },
        },
      ],
    }),
    (messages) => ({
      calls: [
        {
          name: 'wait_for',
          arguments: { process_id: idOf(messages, 'editor'), exit: true, timeout_seconds: 20 },
        },
      ],
    }),
    (messages) => ({
      calls: [
        { name: 'run_command', arguments: { command: 'cat notes.txt', label: 'notes' } },
        { name: 'kill_process', arguments: { process_id: idOf(messages, 'server') } },
      ],
    }),
    (messages) => ({ text: `These are the notes:\n${notesIn(messages)}` }),
  ];
}

interface Answer {
  readonly ok: boolean;
  readonly data?: { readonly process_id?: string; readonly label?: string; readonly output?: string };
}

function answersIn(messages: readonly ChatMessage[]): readonly Answer[] {
  return messages.filter(({ role }) => role === 'tool').map(({ text }) => JSON.parse(text) as Answer);
}

function idOf(messages: readonly ChatMessage[], label: string): string {
  return answersIn(messages).find(({ data }) => data?.label === label)?.data?.process_id ?? 'unknown';
}

function addressIn(messages: readonly ChatMessage[]): string {
  const found = messages.map(({ text }) => /http:\/\/127\.0\.0\.1:\d+/.exec(text)?.[0]);
  return found.find((address) => address !== undefined) ?? 'http://127.0.0.1:1';
}

function notesIn(messages: readonly ChatMessage[]): string {
  const outputs = answersIn(messages).map(({ data }) => data?.output ?? '');
  return outputs.find((output) => output.includes('The server is at'))?.trim() ?? 'none';
}
