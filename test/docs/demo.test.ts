import { spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { carriers, endAll, tempDir, waitUntil } from '../support/os.ts';

const root = join(import.meta.dirname, '../..');
const demo = join(root, 'examples/demo.ts');

/** What each voice says in the text of a demonstration, however it is wrapped: without ids, numbers and durations. */
function sayings(text: string): readonly string[] {
  const paragraphs = text.split(/\n(?= *[a-z]+ │|\n|\d {2}|All )/);
  return (
    paragraphs
      .map((paragraph) =>
        paragraph.replaceAll(/tool_\w+/g, 'tool_ID').replaceAll(/\d[\d.]*( ?ms|s)?\b/g, 'N'),
      )
      .map((paragraph) => paragraph.replaceAll(/[│\s]/g, ''))
      // Which figures are known depends on the machine.
      .map((paragraph) => paragraph.replace(/used="[^"]*"/, ''))
      .filter((saying) => saying !== '')
  );
}

/** The lines of text of a picture, without the titles of its windows. */
function textOf(picture: string): string {
  const svg = readFileSync(join(root, 'docs/pictures', picture), 'utf8');
  const lines = [...svg.matchAll(/<text y="[^>]*>(.*)<\/text>/g)].map(([, line = '']) =>
    line
      .replaceAll(/<[^>]*>/g, '')
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&amp;', '&'),
  );
  return lines.join('\n');
}

/** How much slower than an ordinary one this machine is just now: by the start of an empty Node, some 40 ms. */
function slowness(): number {
  const startMs = performance.now();
  spawnSync(process.execPath, ['-e', '0']);
  return Math.max(1, (performance.now() - startMs) / 100);
}

test('the demonstration holds what it claims', { timeout: 120_000 }, async () => {
  using folder = tempDir();
  // The demonstration and all that it starts carry this, whatever becomes of it.
  const lineage = `/test_${randomUUID()}/`;
  await using _ = { [Symbol.asyncDispose]: () => endAll([], lineage) };
  const slownesses = [slowness()];
  const startMs = performance.now();

  const child = spawn(process.execPath, [demo], {
    env: {
      ...process.env,
      TMPDIR: folder.path,
      TROUPE_LINEAGE: lineage,
      NO_COLOR: '1',
      FORCE_COLOR: undefined,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // At each chapter: others may want the processor only for a while.
  child.stdout.on('data', (chunk: Buffer) => {
    if (/^\d {2}[A-Z]/m.test(chunk.toString())) slownesses.push(slowness());
  });
  const ended = new Promise((resolve) => child.on('exit', resolve));
  const [code, printed, complaints] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  const durationMs = performance.now() - startMs;

  const checked = printed.split('\n').filter((line) => /^ *check │|^FAILED/.test(line));
  expect({ code, complaints }, checked.join('\n')).toEqual({ code: 0, complaints: '' });
  expect(printed).toMatch(/All \d+ claims of this demonstration were checked and held\.\n$/);
  expect(sayings(textOf('demo.svg')).length).toBeGreaterThan(20);
  expect(sayings(printed)).toEqual(expect.arrayContaining([...sayings(textOf('demo.svg'))]));
  expect(textOf('demo.dark.svg')).toBe(textOf('demo.svg'));
  expect(printed).not.toContain('\x1b');
  expect(printed).not.toContain(folder.path);
  expect(durationMs / Math.max(...slownesses, slowness())).toBeLessThan(20_000);
  await waitUntil(() => carriers(lineage).length === 0, { withinMs: 30_000 });
  expect(readdirSync(folder.path)).toEqual([]);
});

test('the demonstration interrupted leaves nothing', { timeout: 120_000 }, async () => {
  using folder = tempDir();
  const lineage = `/test_${randomUUID()}/`;
  await using _ = { [Symbol.asyncDispose]: () => endAll([], lineage) };
  const child = spawn(process.execPath, [demo], {
    env: {
      ...process.env,
      TMPDIR: folder.path,
      TROUPE_LINEAGE: lineage,
      NO_COLOR: '1',
      FORCE_COLOR: undefined,
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = new Promise((resolve) => child.on('exit', resolve));
  let printed = '';
  child.stdout.on('data', (chunk) => {
    printed += chunk;
  });
  await waitUntil(() => /types +pending → running/.test(printed), { withinMs: 60_000 });

  child.kill('SIGINT');
  const code = await ended;

  expect(code).toBe(130);
  await waitUntil(() => carriers(lineage).length === 0, { withinMs: 30_000 });
  expect(readdirSync(folder.path)).toEqual([]);
});
