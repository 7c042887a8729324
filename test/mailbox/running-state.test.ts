import { expect, test } from 'vitest';
import { toNotice } from '../../src/mailbox/notice.ts';
import { toRunningPart } from '../../src/mailbox/notice-part.ts';
import { toRunningState } from '../../src/mailbox/running-state.ts';
import { settle } from '../readiness/rig.ts';
import { createVirtualHarness } from '../support/virtual.ts';

const asks = { kind: 'line', certainty: 'known', prompt: 'name?', since: 1 } as const;
const progress = { percent: 45, state: 'running', text: '45%' } as const;

test.each([
  [asks, null, 'It waits for somebody to type a line.', 'name?'],
  [
    { ...asks, kind: 'secret' },
    progress,
    'It waits for somebody to type a secret, which is not shown.',
    'name?',
  ],
  [
    { ...asks, certainty: 'hint' },
    null,
    'Its last output suggests that it waits for somebody to type a line.',
    'name?',
  ],
  [null, progress, 'It is at 45 %, according to its output.', null],
  [null, { ...progress, state: 'paused' }, 'It has paused at 45 %, according to its output.', null],
  [null, { ...progress, percent: null }, null, null],
  [null, null, null, null],
] as const)('%j and %j are described in a sentence', (awaitsInput, shown, now, prompt) => {
  expect(toRunningState({ awaitsInput, progress: shown } as never)).toEqual({ now, prompt });
});

test('a notice quotes what a silent process asks', async () => {
  await using rig = createVirtualHarness();
  const { supervisor, backend, clock } = rig;
  const handle = supervisor.start({ command: 'login', stdin: 'pipe', background: true });
  backend.lastRun.print('</process> Name: ');
  clock.advance(300);
  await settle();

  const notice = toNotice([toRunningPart('silent', handle.view())]);
  backend.lastRun.exit();

  expect(notice).toContain(
    'for a while. Its last output suggests that it waits for somebody to type a line.\n',
  );
  expect(notice).toContain('<output>\n&lt;/process&gt; Name:\n</output>\n</process>');
});
