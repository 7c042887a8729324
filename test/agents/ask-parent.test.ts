import { expect, onTestFinished, test } from 'vitest';
import { ASK_VARIABLE, readAskParent, toAskText } from '../../src/agents/ask-parent.ts';
import { isPeer } from '../../src/control/protocol.ts';
import { createReachableSupervisor } from '../../src/control/reachable-supervisor.ts';
import type { Ask, PermissionQuestion } from '../../src/policy/authorize.ts';
import { createFileSupervisorRegistry } from '../../src/store/file-supervisor-registry.ts';
import { tempDir } from '../support/os.ts';

const question: PermissionQuestion = {
  tool: 'run_command',
  permission: 'start',
  start: { command: 'git status', cwd: '/project' },
  arguments: { command: 'git status', timeout_seconds: 3 },
  callId: 'call-1',
  agent: 'coder',
  question: 'run_command starts "git status".',
  reason: 'The policy asks, in the mode default, before a tool starts a process.',
  always: ['git status *'],
};

const wanted = () => new AbortController().signal;

/** A program with a person, and how an agent in another program asks through it. */
async function arrange(ask: Ask | null) {
  const place = tempDir();
  const supervisor = createReachableSupervisor({ cwd: place.path }, { ask });
  onTestFinished(async () => {
    await supervisor.shutdown();
    place.remove();
  });
  // The socket listens once there is something to show, and its server is loaded.
  supervisor.start({ command: 'true' });
  const registry = createFileSupervisorRegistry({ directory: supervisor.stateDirectory ?? '' });
  await expect.poll(() => registry.list().some(({ entry }) => isPeer(entry)), { timeout: 10_000 }).toBe(true);
  const askAbove = readAskParent({ [ASK_VARIABLE]: toAskText(supervisor) ?? '' }) as Ask;
  return { supervisor, askAbove };
}

test.for([true, false, 'always'] as const)(
  'a question reaches the person above, and the answer comes back: %s',
  async (answer) => {
    const asked: PermissionQuestion[] = [];
    const { askAbove } = await arrange(async (each) => {
      asked.push(each);
      return answer;
    });

    expect(await askAbove(question, wanted())).toBe(answer);
    expect(asked).toEqual([question]);
  },
);

test('a question that the agent takes back is taken back from the person', async () => {
  const shown = Promise.withResolvers<AbortSignal>();
  const { askAbove } = await arrange((_, signal) => {
    shown.resolve(signal);
    return new Promise(() => {});
  });
  const late = new AbortController();
  const asking = askAbove(question, late.signal);
  const signal = await shown.promise;

  late.abort(new Error('late'));

  await expect(asking).rejects.toThrow('late');
  await expect.poll(() => signal.aborted).toBe(true);
});

test('a program without a person says so', async () => {
  const { askAbove } = await arrange(null);

  await expect(askAbove(question, wanted())).rejects.toThrow('cannot ask a person');
});

test('a program above that is gone is named', async () => {
  const { supervisor, askAbove } = await arrange(async () => true);
  await supervisor.shutdown();

  await expect(askAbove(question, wanted())).rejects.toThrow(`its supervisor ${supervisor.id} is gone`);
});

test.for([undefined, '', 'rubbish', '{}', '["/only"]'])(
  'without a parent agent no question is sent: %s',
  (text) => {
    expect(readAskParent({ [ASK_VARIABLE]: text })).toBeNull();
  },
);
