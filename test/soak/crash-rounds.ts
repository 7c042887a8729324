import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { ProcessRecord } from '../../src/process/process-record.ts';
import { bundledProgram, carriers, endAll, isAlive, tempDir, waitUntil } from '../support/os.ts';
import { type Chance, createChance } from './chance.ts';
import type { CrashFact } from './crash-facts.ts';

const HOST =
  bundledProgram('library/crash-host.js') ?? fileURLToPath(new URL('crash-host.ts', import.meta.url));

/** What a round lies in wait for; it kills some milliseconds after it. */
const moments = ['creating', 'created', 'starting', 'started', 'stopping', 'read'] as const;

/** R-4 gives the watchdog a second; a machine under load a little more, and far more when it stalls for a moment. */
const SESSIONS_GONE_MS = { mostly: 3_000, always: 20_000 };

interface Story {
  readonly directory: string;
  readonly started: Map<string, Extract<CrashFact, { type: 'started' }>>;
  /** Ids of processes that were ordered to stop. */
  readonly stopped: Set<string>;
  /** What was read of each, over all hosts. */
  readonly texts: Map<string, string>;
  readonly cursors: Record<string, number>;
  /** How long what ends with its supervisor was alive after it, round by round. */
  readonly goneAfterMs: number[];
  readonly broken: string[];
}

/**
 * Kills a supervisor in the middle of its work, again and again, and checks each successor against the laws.
 * Reports each broken law with the seed that reproduces it, and nothing if all hold.
 */
export async function runCrashRounds({
  rounds,
  seed,
  onRound = () => {},
}: {
  rounds: number;
  seed: number;
  onRound?: (round: number) => void;
}): Promise<{ broken: readonly string[]; started: number; adopted: number }> {
  using place = tempDir();
  const chance = createChance(seed);
  const bystander = await startBystander(place.file('bystander'));
  const story: Story = {
    directory: place.path,
    started: new Map(),
    stopped: new Set(),
    texts: new Map(),
    cursors: {},
    goneAfterMs: [],
    broken: [],
  };
  let adopted = 0;
  try {
    for (let round = 0; round < rounds; round += 1) {
      adopted += await crash(story, { chance, moment: moments[round % moments.length] ?? 'created' });
      await checkSessions(story, `round ${round}`);
      onRound(round);
    }
    await finish(story, chance);
    checkEnds(story);
    checkNotices(story);
    checkHaste(story);
    if (!isAlive(bystander.pid ?? 0) || existsSync(place.file('bystander.signalled')))
      story.broken.push('a process that was not ours was signalled');
  } finally {
    bystander.kill('SIGKILL');
    await endAll([], place.path);
  }
  return { broken: story.broken.map((law) => `seed ${seed}: ${law}`), started: story.started.size, adopted };
}

function startHost(story: Story, { seed, mode }: { seed: number; mode: 'work' | 'finish' }) {
  writeFileSync(`${story.directory}/cursors.json`, JSON.stringify(story.cursors));
  const child = spawn(process.execPath, [HOST, story.directory, String(seed), mode], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const facts: CrashFact[] = [];
  let complaints = '';
  child.stderr.on('data', (text) => {
    complaints += text;
  });
  const lines = createInterface(child.stdout);
  lines.on('line', (line) => {
    // The last one may be cut off by the kill.
    const fact = parse<CrashFact>(line);
    if (fact === null) return;
    facts.push(fact);
    take(story, fact);
  });
  const ended = new Promise<void>((resolve) => lines.once('close', resolve));
  return { child, facts, ended, complaints: () => complaints };
}

function parse<T>(line: string): T | null {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

function take(story: Story, fact: CrashFact): void {
  if (fact.type === 'started') story.started.set(fact.id, fact);
  if (fact.type === 'stopping') story.stopped.add(fact.id);
  if (fact.type !== 'read') return;
  const cursor = story.cursors[fact.id] ?? 0;
  if (fact.from !== cursor) story.broken.push(`${fact.id} was read from ${fact.from}, expected ${cursor}`);
  story.cursors[fact.id] = fact.to;
  story.texts.set(fact.id, (story.texts.get(fact.id) ?? '') + fact.text);
}

async function crash(
  story: Story,
  { chance, moment }: { chance: Chance; moment: (typeof moments)[number] },
): Promise<number> {
  const host = startHost(story, { seed: chance.below(2 ** 31), mode: 'work' });
  const nth = moment === 'creating' || moment === 'created' ? 1 : 1 + chance.below(5);
  const hasSaid = (fact: CrashFact['type'], times: number) => () =>
    host.facts.filter(({ type }) => type === fact).length >= times || host.child.exitCode !== null;
  if (moment !== 'creating') await waitUntil(hasSaid('created', 1), { withinMs: 30_000 }).catch(() => {});
  // Reading needs something persistent, which may not be there: then anything after a while will do.
  await waitUntil(hasSaid(moment, nth), { withinMs: 4_000 }).catch(() => {});
  await delay(chance.below(moment === 'creating' ? 60 : 15));
  if (host.child.exitCode !== null) story.broken.push(`a host ended by itself: ${host.complaints()}`);
  host.child.kill('SIGKILL');
  await host.ended;
  return host.facts.flatMap((fact) => (fact.type === 'created' ? fact.adopted : [])).length;
}

async function checkSessions(story: Story, when: string): Promise<void> {
  const mark = `CRASH_LIFETIME=session:${story.directory}`;
  const isGone = () => carriers(mark).length === 0;
  const fromMs = performance.now();
  await waitUntil(isGone, { withinMs: SESSIONS_GONE_MS.always }).catch(() => {
    story.broken.push(`${when}: alive after their supervisor: ${carriers(mark).join(', ')}`);
  });
  story.goneAfterMs.push(performance.now() - fromMs);
}

/** In most rounds it is quick. */
function checkHaste({ goneAfterMs, broken }: Story): void {
  const slow = goneAfterMs.filter((ms) => ms > SESSIONS_GONE_MS.mostly);
  if (slow.length * 2 > goneAfterMs.length) broken.push(`alive after their supervisor, in ms: ${slow}`);
}

async function finish(story: Story, chance: Chance): Promise<void> {
  const host = startHost(story, { seed: chance.below(2 ** 31), mode: 'finish' });
  const isFinished = () => host.facts.some(({ type }) => type === 'finished') || host.child.exitCode !== null;
  await waitUntil(isFinished, { withinMs: 60_000 }).catch(() => {});
  if (!host.facts.some(({ type }) => type === 'finished')) {
    story.broken.push(`the last host did not finish: ${host.complaints()}`);
  }
  host.child.kill('SIGKILL');
  await host.ended;
}

/** Every persistent process has an end that is true, and its log was read whole, nothing twice. */
function checkEnds(story: Story): void {
  const processes = `${story.directory}/state/processes`;
  for (const { id, lifetime, token } of story.started.values()) {
    if (!existsSync(`${processes}/${id}.json`)) {
      story.broken.push(`${id} (${lifetime}): it was said to be started, and has no record`);
      continue;
    }
    const record: ProcessRecord = JSON.parse(readFileSync(`${processes}/${id}.json`, 'utf8'));
    const { view } = record;
    const complain = (what: string) => story.broken.push(`${id} (${lifetime}, ${view.status}): ${what}`);
    if (!('endedAt' in view)) {
      complain('its record says that it lives');
      continue;
    }
    if (lifetime === 'session') continue;
    const marker = `${story.directory}/end.${token}`;
    const code = existsSync(marker) ? Number(readFileSync(marker, 'utf8')) : null;
    const isStopped = story.stopped.has(id);
    if (view.status === 'lost') complain(`it was lost: ${JSON.stringify(view.reason)}`);
    if (code !== null && !isStopped && view.exit?.code !== code) {
      complain(`it ended with ${code}, and its record says ${JSON.stringify(view.exit)}`);
    }
    if (code === null && !isStopped) complain('it never came to its end');
    const log = `${processes}/${id}.log`;
    const written = existsSync(log) ? readFileSync(log, 'utf8') : '';
    if ((story.texts.get(id) ?? '') !== written) complain('what was read of it is not what it wrote');
    const numbers = written.split('\n').slice(0, -1);
    if (numbers.some((text, index) => text !== String(index))) complain('its log has a gap');
  }
}

/** Checks that each end was reported to the conversation exactly once. */
function checkNotices(story: Story): void {
  const text = readFileSync(`${story.directory}/journal.jsonl`, 'utf8');
  const told = new Map<string, number>();
  for (const line of text.split('\n')) {
    // A kill may have cut an entry off.
    const entry = parse<{ type: string; entry?: { id: string } }>(line);
    if (entry?.type !== 'arrived' || entry.entry === undefined) continue;
    told.set(entry.entry.id, (told.get(entry.entry.id) ?? 0) + 1);
  }
  for (const { id } of story.started.values()) {
    const count = told.get(`${id}/1/ended`) ?? 0;
    if (count !== 1) story.broken.push(`the end of ${id} was reported ${count} times`);
  }
}

/** Starts a foreign process that records every signal that it gets. */
async function startBystander(file: string): Promise<ChildProcess> {
  const script = `trap 'echo >> ${file}.signalled' HUP INT QUIT TERM USR1 USR2 CONT; echo > ${file}; while :; do sleep 0.2; done`;
  const child = spawn('/bin/sh', ['-c', script], { stdio: 'ignore' });
  await waitUntil(() => readdirSync(dirname(file)).includes('bystander'), { what: 'the bystander is up' });
  return child;
}
