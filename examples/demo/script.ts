import type { ChatMessage, ScriptedStep } from '../../src/index.ts';

/** What the agent of the demonstration says, in place of a language model. Commands and processes are real. */
export const script: readonly ScriptedStep[] = [
  // 1. A quick command
  { text: 'I ask the shell.', calls: [run('greet', "echo 'hello from a real shell' | tr a-z A-Z")] },
  (messages) => ({ text: `It says: ${outputOf(messages.at(-1))}` }),

  // 2. Two at once
  {
    text: 'Neither needs the other, so I start both in one step.',
    calls: [
      run('lint', "sleep 1; echo 'no problems in 42 files'"),
      run('types', "sleep 1; echo 'no type errors'"),
    ],
  },
  { text: 'Lint and types are both clean.' },

  // 3. Too long to wait for
  {
    text: 'I give the build 0.7 seconds of my patience.',
    calls: [
      run('build', 'for part in 1 2 3 4; do sleep 0.9; echo "built part $part of 4"; done', {
        timeout_seconds: 0.7,
      }),
    ],
  },
  {
    text: 'It continues in the background and I will hear of it. Meanwhile I do something else.',
    calls: [run('count', 'seq 1 1000 | wc -l')],
  },
  { text: 'The count is 1000. The build still runs; I need not wait for it, and I need not poll.' },
  // Woken by the notice:
  (messages) => {
    const isBuilt = messages.at(-1)?.text.includes('built part 4 of 4') === true;
    return {
      text: isBuilt
        ? 'I was woken: the build is complete, all 4 parts.'
        : 'I was woken, and the build is not complete.',
    };
  },

  // 4. A server
  {
    text: 'I start it and wait until it says that it listens.',
    calls: [
      {
        name: 'start_process',
        arguments: { command: 'node server.ts', label: 'server', ready_line: 'listening on' },
      },
    ],
  },
  (messages) => ({
    text: 'It is ready. I use it.',
    calls: [
      run('request', `node -e "fetch('${addressIn(messages)}/tea').then((r) => r.text()).then(console.log)"`),
    ],
  }),
  (messages) => ({
    text: `It answered: ${outputOf(messages.at(-1))} Now I end it, with all that it has started.`,
    calls: [{ name: 'kill_process', arguments: { process_id: idOf(messages, 'server') } }],
  }),
  { text: 'The server is gone, and its worker with it. I ended it myself, so no notice will come.' },

  // 5. Forgotten
  {
    text: 'I start a watcher. It detaches a companion, whose parent is gone at once.',
    calls: [
      {
        name: 'start_process',
        arguments: {
          command: '(nohup sleep 600 >/dev/null 2>&1 &); echo watching; exec sleep 600',
          label: 'watcher',
          ready_line: 'watching',
        },
      },
    ],
  },
  { text: 'Done. (And then I forget all about it.)' },
];

function run(label: string, command: string, more: { timeout_seconds?: number } = {}) {
  return { name: 'run_command', arguments: { command, label, ...more } };
}

interface Answer {
  readonly ok: boolean;
  readonly data?: { readonly process_id?: string; readonly label?: string; readonly output?: string };
}

function outputOf(message: ChatMessage | undefined): string {
  return (answerIn(message)?.data?.output ?? 'nothing').trim();
}

function addressIn(messages: readonly ChatMessage[]): string {
  return /http:\/\/127\.0\.0\.1:\d+/.exec(outputOf(messages.at(-1)))?.[0] ?? 'http://127.0.0.1:1';
}

function idOf(messages: readonly ChatMessage[], label: string): string {
  const data = messages.map((message) => answerIn(message)?.data).find((each) => each?.label === label);
  return data?.process_id ?? 'unknown';
}

function answerIn(message: ChatMessage | undefined): Answer | null {
  return message?.role === 'tool' ? (JSON.parse(message.text) as Answer) : null;
}
