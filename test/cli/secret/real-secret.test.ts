import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { waitUntil } from '../../support/os.ts';
import { openAttachStage } from '../attach/arrange.ts';
import { ensureTmux } from '../tmux.ts';

const asking = `stty -echo; printf 'Password: '; read word; stty echo; echo; echo "it has \${#word}: $word"; exec sleep 1000`;

const SECRET = 'hunter-2-hunter';

/** All that stands in the state directory. A file that is being replaced is gone in between. */
function writtenDown(directory: string): string {
  const read = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8') : '');
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => read(`${entry.parentPath}/${entry.name}`))
    .join('\n');
}

test('a secret of a variable reaches the process and nothing else', async () => {
  await using at = await openAttachStage(asking);
  await at.shows('Password:');

  const ran = await at.troupe('write', 'it', '--secret', 'pw', '--from-env', 'PW');
  await waitUntil(() => at.handle.read().text.includes(`it has ${SECRET.length}: [redacted]`));

  expect(ran).toEqual({ code: 0, stdout: `pw was written to ${at.handle.id} (it).\n`, stderr: '' });
  expect(writtenDown(at.project.file('.troupe'))).not.toContain(SECRET);
});

describe.skipIf(!ensureTmux())('in a real terminal', { timeout: 60_000 }, () => {
  test('a secret that is typed does not show', async () => {
    await using at = await openAttachStage(asking);
    await at.shows('Password:');
    await using person = await at.attach('write it --secret pw < /dev/null');

    await person.shows('pw for ');
    await person.type(SECRET);
    await person.press('Left', 'Up', 'Enter');
    const screen = await person.shows('exit code 0');

    expect(screen).toContain('pw was written');
    expect(screen).not.toContain(SECRET);
    await waitUntil(() => at.handle.read().text.includes(`it has ${SECRET.length}: [redacted]`));
    expect(readFileSync(at.project.file('after'), 'utf8')).toBe(
      readFileSync(at.project.file('before'), 'utf8'),
    );
  });

  test('Ctrl-C gives no secret, and the terminal back', async () => {
    await using at = await openAttachStage(asking);
    await at.shows('Password:');
    await using person = await at.attach('write it --secret pw');

    await person.shows('pw for ');
    await person.type('half');
    await person.press('C-c');
    await person.shows('exit code 130');

    expect(at.handle.read().text).not.toContain('it has');
    expect(readFileSync(at.project.file('after'), 'utf8')).toBe(
      readFileSync(at.project.file('before'), 'utf8'),
    );
  });
});
