import { expect, test } from 'vitest';
import { toFlagWords } from '../../src/cli/flag-words.ts';
import { daemonProject } from './daemon-project.ts';

test.each([
  ['schedule: "every" is 500; expected a duration.', '--every is 500 ms; expected a duration.'],
  ['schedule: "after" is 90000; expected less.', '--after is 1m 30s; expected less.'],
  [
    'start: "label" is ""; expected something that is not empty.',
    '--name is ""; expected something that is not empty.',
  ],
  ['waitFor: "port" is 0; expected more.', '--port is 0; expected more.'],
  ['start: "unknown" is 1; expected 2.', 'start: "unknown" is 1; expected 2.'],
  [
    'start: "env.A" is 1; expected text.\nstart: "cwd" is ""; expected text.',
    '--env is 1; expected text.\n--cwd is ""; expected text.',
  ],
  [
    'start: "host" is "pool:gpu"; "ready.port" looks at this machine. Use "ready.line" or "ready.http".',
    '--host is "pool:gpu"; --ready port:… looks at this machine. Use --ready line:… or --ready http:….',
  ],
  ['Process tool_a not found.', 'Process tool_a not found.'],
])('the refusal %j is printed as %j', (message, words) => {
  expect(toFlagWords(message)).toBe(words);
});

test.each([
  [['start', '--name=', '--', 'true'], '--name is ""; expected'],
  [['run', '--name=', '--', 'true'], '--name is ""; expected'],
  [
    ['schedule', 'add', '--every', '500ms', 'hello'],
    '--every is 500 ms; expected a duration of at least 1 s.',
  ],
])('%j is refused in the words of the command line', async (args, words) => {
  await using project = daemonProject();
  await project.start('--', 'sleep', '1000');

  const ran = await project.call(...args);

  expect(ran).toMatchObject({ code: 2, stdout: '' });
  expect(ran.stderr).toContain(`troupe: ${words}`);
});
