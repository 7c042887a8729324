/**
 * Asks every question, each in a Node of its own, and writes the answers to `docs/benchmarks.md`: `npm run bench`. With names,
 * as in `npm run bench -- spawn idle`, only those are asked again.
 */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findNatsServer } from '../test/support/nats.ts';
import { type Answer, describeMachine, toMarkdown } from './answer.ts';

const questions = [
  ...[
    'spawn',
    'large-host',
    'latency',
    'output',
    'polling',
    'memory',
    'scale',
    'idle',
    'leftovers',
    'callback',
    'flood',
  ],
  ...[
    'file',
    'file-flood',
    'records',
    'recovery',
    'ps',
    'search',
    'terminals',
    'sandbox',
    'import',
    'inspector',
    'policy',
    'remote',
  ],
];
const path = join(import.meta.dirname, '../docs/benchmarks.md');

const introduction = `# Benchmarks

Made by \`npm run bench\`; every file in \`bench/\` answers one question and also runs alone, as in \`node bench/spawn.ts\`.
${describeMachine()} All contenders run in turn in the same minutes, A B C A B C; a figure is the median, in
parentheses the middle half of the rounds, and a ratio is the median of the ratios of each round. Times depend on the machine and
on what else it does; ratios much less so.
`;

async function ask(question: string): Promise<string> {
  const file = join(import.meta.dirname, `${question}.ts`);
  const { stdout } = await promisify(execFile)(process.execPath, [file, '--json']);
  return toMarkdown(JSON.parse(stdout) as Answer);
}

/** By their headings, in their order. */
function readSections(): Map<string, string> {
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const sections = text.split(/^(?=## )/m).slice(1);
  return new Map(sections.map((section) => [headingOf(section), section]));
}

function headingOf(section: string): string {
  return section.slice(0, section.indexOf('\n'));
}

const asked = process.argv.slice(2);
for (const name of asked) {
  if (!questions.includes(name))
    throw new Error(`There is no "${name}"; ask one of ${questions.join(', ')}.`);
}
const chosen = asked.length === 0 ? questions : asked;
// Looked for before hours are spent on the others.
if (chosen.includes('remote') && (await findNatsServer()) === null)
  throw new Error('"remote" needs nats-server 2.12 or newer: set TROUPE_NATS_SERVER to its path.');
const sections = asked.length === 0 ? new Map<string, string>() : readSections();
for (const question of chosen) {
  const section = await ask(question);
  console.log(section);
  sections.set(headingOf(section), section);
}
const parts = [introduction, ...sections.values()].map((part) => part.trimEnd());
writeFileSync(path, `${parts.join('\n\n')}\n`);
