import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ensureTmux, openTerminal } from '../cli/tmux.ts';
import { isInstalled } from '../support/installed.ts';
import { carriers, endAll, tempDir, waitUntil } from '../support/os.ts';

const root = join(import.meta.dirname, '../..');
const node = `'${process.execPath}'`;

/** So long a person has to attach and to type: some starts of a program, by what one takes just now. */
function quietSeconds(): number {
  const startMs = performance.now();
  spawnSync(process.execPath, [join(root, 'src/cli/main.ts'), '--help']);
  return Math.ceil(Math.min(60, Math.max(10, ((performance.now() - startMs) / 1_000) * 12)));
}

test.skipIf(!ensureTmux() || !isInstalled('vim'))(
  'a person types in the editor of an agent and leaves again',
  { timeout: 240_000 },
  async () => {
    using folder = tempDir();
    const lineage = `/test_${randomUUID()}/`;
    await using _ = { [Symbol.asyncDispose]: () => endAll([], lineage) };
    const setting = `TMPDIR='${folder.path}' TROUPE_LINEAGE='${lineage}' NO_COLOR=1`;
    await using agent = await openTerminal({
      command: `${setting} ${node} examples/terminals.ts --quiet ${quietSeconds()}`,
      cwd: root,
      columns: 200,
      rows: 100,
    });
    // Each of these is the start of some programs.
    await agent.shows('I start the server');
    await agent.shows('It answers. Now the editor.');
    const told = await agent.shows(/main\.ts attach \S+ --state-dir \S+/);
    const [attach = ''] = /attach \S+ --state-dir \S+/.exec(told) ?? [];

    await using person = await openTerminal({
      command: `${node} src/cli/main.ts ${attach}`,
      cwd: root,
      columns: 80,
      rows: 24,
    });
    await person.shows('The server is at http://');
    await person.press('Escape');
    await person.type('oA person was here.');
    await person.shows('A person was here.');
    await person.press('C-]');
    const left = await person.shows('exit code 0');
    const ended = await waitUntil(async () => /[\s\S]*exit code \d[\s\S]*/.exec(await agent.screen())?.[0], {
      withinMs: 120_000,
    });

    expect(left).toContain('exit code 0');
    expect(ended).toMatch(
      /These are the notes:\s+│?\s*The server is at http:[^\n]*\n[^\n]*A person was here\./,
    );
    expect(ended).toContain('claims were checked and held.');
    expect(ended).toContain('exit code 0');
    await waitUntil(() => carriers(lineage).length === 0, { withinMs: 30_000 });
    expect(readdirSync(folder.path)).toEqual([]);
  },
);
