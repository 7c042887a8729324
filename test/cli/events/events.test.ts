import { expect, test } from 'vitest';
import { waitUntil } from '../../support/os.ts';
import { daemonProject } from '../daemon-project.ts';
import { STARTED_WITHIN_MS, startProgram } from '../program.ts';

interface Line {
  readonly type: string;
  readonly at: number;
  readonly supervisorId: string;
  readonly process?: { readonly label: string; readonly status: string };
}

/** Reads the lines of `events` while it runs. */
function follow(project: ReturnType<typeof daemonProject>, ...flags: readonly string[]) {
  const { child, ran } = startProgram(['events', ...flags], { cwd: project.path, env: project.env });
  let text = '';
  child.stdout.on('data', (chunk) => {
    text += chunk;
  });
  return {
    child,
    ran,
    text: () => text,
    lines: () =>
      text
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as Line),
    until: (seen: () => boolean) =>
      waitUntil(seen, { withinMs: STARTED_WITHIN_MS, what: 'the event is printed' }),
  };
}

/** The program says nothing until something happens, so this makes things happen until it does. */
async function listening(project: ReturnType<typeof daemonProject>, events: ReturnType<typeof follow>) {
  while (events.text() === '') await project.start('--', 'true');
}

test('events prints each event of each supervisor as a line of JSON at once', async () => {
  await using project = daemonProject();
  const events = follow(project, '--json');
  await listening(project, events);
  const of = (label: string) => events.lines().filter(({ process }) => process?.label === label);

  await project.start('--name', 'web', '--', 'sleep', '1000');
  await events.until(() => of('web').some(({ type }) => type === 'process.started'));
  expect(of('web').map(({ type }) => type)).not.toContain('process.ended');
  await project.call('kill', 'web');
  await project.troupe('run', '--name', 'own', '--', 'sleep', '0.5');
  await events.until(() => of('own').some(({ type }) => type === 'process.ended'));
  events.child.kill('SIGINT');

  expect((await events.ran).code).toBe(130);
  expect(of('web').map(({ type }) => type)).toEqual([
    'process.created',
    'process.started',
    'process.stopping',
    'process.ended',
  ]);
  expect(of('own').map(({ type }) => type)).toEqual(['process.created', 'process.started', 'process.ended']);
  expect(of('web').at(-1)).toMatchObject({ process: { status: 'killed' } });
  expect(new Set([...of('web'), ...of('own')].map(({ supervisorId }) => supervisorId)).size).toBe(2);
});

test('events in words names the process and what happened', async () => {
  await using project = daemonProject();
  const events = follow(project);
  await listening(project, events);

  await project.troupe('run', '--name', 'own', '-c', 'sleep 0.5; exit 3');
  await events.until(() => /\(own\) process\.ended/.test(events.text()));
  events.child.kill('SIGTERM');

  expect(await events.ran).toMatchObject({ code: 143, stderr: '' });
  expect(events.text()).toMatch(/^\d\d:\d\d:\d\d tool_\w{8} \(own\) process\.ended \(failed\)$/m);
});
