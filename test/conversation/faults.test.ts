import { expect, test, vi } from 'vitest';
import { arrange, nextEvent, startServer, toolThat } from './arrange.ts';

function muteWarnings(): string[] {
  const warnings: string[] = [];
  vi.spyOn(process, 'emitWarning').mockImplementation((warning) => void warnings.push(String(warning)));
  return warnings;
}

test('a rule of attention that throws loses no later end', async () => {
  const warnings = muteWarnings();
  await using given = arrange({
    steps: [startServer, { text: 'started' }, { text: 'first' }, { text: 'second' }],
    more: {
      attention: () => {
        throw new Error('a mistake');
      },
    },
  });
  await given.conversation.say('serve');
  const { id: owner } = given.conversation;

  given.backend.lastRun.exit();
  await given.settled(1);
  given.supervisor.start({ command: 'again', owner, background: true });
  given.backend.lastRun.exit();
  await given.settled(2);

  expect(given.notices()).toHaveLength(2);
  expect(warnings).toEqual(['Error: a mistake', 'Error: a mistake']);
});

test('a tool that fails after its answer leaves the conversation intact', async () => {
  const warnings = muteWarnings();
  await using given = arrange({
    steps: [{ calls: [{ name: 'odd', arguments: {} }] }, { text: 'done' }],
    tools: [
      toolThat('odd', async () => ({
        ok: true,
        data: 'fine',
        onRecorded: () => {
          throw new Error('too late');
        },
      })),
    ],
  });

  const outcome = await given.conversation.say('go');

  expect(outcome).toEqual({ type: 'answered', text: 'done' });
  expect(warnings).toEqual(['Error: too late']);
});

test('a claim that is no list of ids is none', async () => {
  const strange = [7, [7, 'tool_x/1/ended']].values();
  const call = { calls: [{ name: 'odd', arguments: {} }] };
  await using given = arrange({
    steps: [call, call, { text: 'done' }],
    tools: [toolThat('odd', async () => ({ ok: true, data: 1, reveals: strange.next().value as never }))],
  });

  const outcome = await given.conversation.say('go');

  expect(outcome).toEqual({ type: 'answered', text: 'done' });
  expect(given.answers()).toHaveLength(2);
});

test('an onlooker that throws stops nothing', async () => {
  muteWarnings();
  await using given = arrange({
    steps: [{ text: 'hello' }],
    more: {
      onEvent: () => {
        throw new Error('a mistake');
      },
    },
  });

  expect(await given.conversation.say('hi')).toEqual({ type: 'answered', text: 'hello' });
});

test('a clock that fails breaks one conversation only', async () => {
  muteWarnings();
  await using given = arrange({ steps: [startServer, { text: 'started' }] });
  const broken = arrange({
    steps: [{ text: 'hello' }],
    more: {
      supervisor: given.supervisor,
      clock: {
        ...given.clock,
        at: () => {
          throw new Error('no alarm');
        },
      },
    },
  });
  await broken.conversation.say('hi');

  const outcome = await broken.conversation.finish({ background: 'wait' });

  expect(outcome).toEqual({ type: 'answered', text: 'hello' });
  expect(broken.conversation.status).toBe('failed');
  expect(await given.conversation.say('serve')).toMatchObject({ type: 'answered' });
});

test('a break during calls still gives each its result', async () => {
  muteWarnings();
  let isBroken = false;
  await using given = arrange({
    steps: [{ calls: [{ name: 'forever', arguments: {} }] }],
    tools: [toolThat('forever', () => new Promise(() => {}))],
  });
  const broken = arrange({
    steps: [{ calls: [{ name: 'forever', arguments: {} }] }],
    tools: [toolThat('forever', () => new Promise(() => {}))],
    more: {
      clock: {
        ...given.clock,
        at: (atMs, callback) => {
          if (isBroken) throw new Error('no alarm');
          return given.clock.at(atMs, callback);
        },
      },
    },
  });
  const called = nextEvent(broken, 'tool.called');
  const said = broken.conversation.say('go');
  await called;
  const { id: owner } = broken.conversation;
  const own = broken.supervisor.start({ command: 'serve', owner, background: true });

  isBroken = true;
  await broken.conversation.finish({ background: 'wait' });

  expect(await said).toEqual({ type: 'closed' });
  expect(broken.roles()).toEqual(['user', 'assistant', 'tool']);
  expect(own.view().status).toBe('killed');
});
