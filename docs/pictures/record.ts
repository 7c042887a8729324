// Plays examples/terminals.ts in a terminal, lets a person attach to its editor in another one, and draws what both see:
// `node docs/pictures/record.ts` writes docs/pictures/terminals.svg.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSupervisor, type ProcessHandle, waitFor } from '../../src/index.ts';
import { toSvg, type Window } from './to-svg.ts';

const root = join(import.meta.dirname, '..', '..');
const home = mkdtempSync(join(tmpdir(), 'troupe-record-'));
process.on('exit', () => rmSync(home, { recursive: true, force: true }));

await using supervisor = createSupervisor({ cwd: root, stateDirectory: join(home, 'state') });
const open = (command: string, size: { columns: number; rows: number }) =>
  supervisor.start({ command, interactive: true, background: true, size, env: { FORCE_COLOR: '1' } });

const agent = open(`'${process.execPath}' examples/terminals.ts --quiet 6`, { columns: 104, rows: 46 });
const told = await waitFor(agent, { pattern: 'main\\.ts attach \\S+', timeout: '60s' });
const [attach] = /main\.ts attach \S+ --state-dir \S+/.exec(agent.read({ format: 'plain' }).text) ?? [];
if (told.end.type !== 'met' || attach === undefined) throw new Error('The example never said how to attach.');

const person = open(`'${process.execPath}' src/cli/${attach}`, { columns: 104, rows: 12 });
await waitFor(person, { text: 'The server is at', timeout: '30s' });
await person.sendKeys({ keys: ['Escape', 'o'] });
await person.sendKeys({ text: 'This line is from a person, who leaves with Ctrl-].' });
await waitFor(person, { quiet: '500ms', timeout: '10s' });
const seen = await windowOf(person, 'a person: troupe attach');
await person.write(Uint8Array.of(0x1d));

await waitFor(agent, { text: 'claims were checked and held', timeout: '60s' });
const windows = [await windowOf(agent, 'the agent: npm run terminals'), seen];
writeFileSync(join(import.meta.dirname, 'terminals.svg'), await toSvg(windows));

async function windowOf(handle: ProcessHandle, title: string): Promise<Window> {
  const answer = await handle.capture({ withDrawing: true });
  if (!answer.ok) throw new Error(answer.error);
  const { columns, rows, lines } = answer.screen;
  return { title, columns, rows, drawing: answer.drawing ?? lines.join('\r\n') };
}
