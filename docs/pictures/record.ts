// Plays examples in terminals and draws what is seen there, for light and for dark pages:
// `npm run pictures -- demo terminals` writes demo.svg, demo.dark.svg, terminals.svg and terminals.dark.svg.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSupervisor, type ProcessHandle, waitFor } from '../../src/index.ts';
import { dark, light, toSvg, type Window } from './to-svg.ts';

/** As many cells as 830 pixels hold, the width of a page on GitHub, at a size that can be read. */
const COLUMNS = 95;

const root = join(import.meta.dirname, '..', '..');
const home = mkdtempSync(join(tmpdir(), 'troupe-record-'));
process.on('exit', () => rmSync(home, { recursive: true, force: true }));

await using supervisor = createSupervisor({ cwd: root, stateDirectory: join(home, 'state') });
const open = (command: string, rows: number) =>
  supervisor.start({
    command,
    interactive: true,
    background: true,
    size: { columns: COLUMNS, rows },
    env: { FORCE_COLOR: '1' },
  });

const pictures = { demo: drawDemo, terminals: drawTerminals };
const asked = process.argv.slice(2);
for (const name of asked.length === 0 ? Object.keys(pictures) : asked) {
  const windows = await pictures[name as keyof typeof pictures]();
  writeFileSync(join(import.meta.dirname, `${name}.svg`), await toSvg(windows, light));
  writeFileSync(join(import.meta.dirname, `${name}.dark.svg`), await toSvg(windows, dark));
}

/** Draws the chapter in which a notice wakes the agent, and the end. */
async function drawDemo(): Promise<readonly Window[]> {
  const demo = open(`'${process.execPath}' examples/demo.ts`, 180);
  await waitFor(demo, { text: 'claims of this demonstration were checked', timeout: '60s' });
  const seen = await windowOf(demo, 'npm run demo: chapter 3 of 6');
  const lines = await linesOf(demo);
  const from = (start: string) => lines.findIndex((line) => line.startsWith(start));
  const end = lines.findLastIndex((line) => line.startsWith('All ')) + 1;
  return [
    { ...seen, shown: [from('3  '), from('4  ') - 1] },
    { ...seen, title: 'npm run demo: the end', shown: [from('6  '), end] },
  ];
}

async function drawTerminals(): Promise<readonly Window[]> {
  const agent = open(`'${process.execPath}' examples/terminals.ts --quiet 6`, 50);
  const told = await waitFor(agent, { pattern: 'main\\.ts attach \\S+', timeout: '60s' });
  const [attach] = /main\.ts attach \S+ --state-dir \S+/.exec(agent.read({ format: 'plain' }).text) ?? [];
  if (told.end.type !== 'met' || attach === undefined)
    throw new Error('The example never said how to attach.');

  const person = open(`'${process.execPath}' src/cli/${attach}`, 12);
  await waitFor(person, { text: 'The server is at', timeout: '30s' });
  await person.sendKeys({ keys: ['Escape', 'o'] });
  await person.sendKeys({ text: 'This line is from a person, who leaves with Ctrl-].' });
  await waitFor(person, { quiet: '500ms', timeout: '10s' });
  const seen = await windowOf(person, 'a person: troupe attach');
  await person.write(Uint8Array.of(0x1d));

  await waitFor(agent, { text: 'claims were checked and held', timeout: '60s' });
  return [await windowOf(agent, 'the agent: npm run terminals'), seen];
}

async function windowOf(handle: ProcessHandle, title: string): Promise<Window> {
  const answer = await handle.capture({ withDrawing: true });
  if (!answer.ok) throw new Error(answer.error);
  const { columns, rows, lines } = answer.screen;
  return { title, columns, rows, drawing: answer.drawing ?? lines.join('\r\n') };
}

async function linesOf(handle: ProcessHandle): Promise<readonly string[]> {
  const answer = await handle.capture();
  return answer.ok ? answer.screen.lines : [];
}
