// Supervises until it is killed: node crash-host.ts <directory> <seed> <`work` or `finish`>.
// Adopts what those before it have left, reads on where they had come to, and then starts, promotes and kills at random as fast as it
// can, each deed told on stdout when it is done. With `finish` it waits for what is there, and ends in order.
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { type ChatModel, createConversation, createFileJournal, createSupervisor } from '../../src/index.ts';
import { createChance } from './chance.ts';
import type { CrashFact } from './crash-facts.ts';

const [directory = '', seed = '1', mode = 'work'] = process.argv.slice(2);
const OWNER = 'conv_crash';
const chance = createChance(Number(seed));
const tell = (fact: CrashFact) => process.stdout.write(`${JSON.stringify(fact)}\n`);

tell({ type: 'creating' });
const supervisor = createSupervisor({
  cwd: directory,
  stateDirectory: `${directory}/state`,
  owner: OWNER,
  maxBackgroundProcesses: 10_000,
  maxParallelTools: 100,
  killGrace: 150,
  // Every other one holds by the lineage, and adopts what the one before held by cgroups.
  cgroups: Number(seed) % 2 === 0,
});
tell({ type: 'created', supervisorId: supervisor.id, adopted: supervisor.recovered.adopted });

const model: ChatModel = {
  name: 'says ok',
  stream: async function* () {
    yield { type: 'text', text: 'ok' };
  },
};
const conversation = createConversation({
  supervisor,
  model,
  id: OWNER,
  policy: { mode: 'dangerous' },
  journal: createFileJournal(`${directory}/journal.jsonl`),
});

const cursors: Record<string, number> = existsSync(`${directory}/cursors.json`)
  ? JSON.parse(readFileSync(`${directory}/cursors.json`, 'utf8'))
  : {};

function readOn(): void {
  for (const { id, lifetime } of supervisor.list()) {
    if (lifetime !== 'persistent') continue;
    const since = cursors[id] ?? 0;
    const read = supervisor.get(id)?.read({ since, format: 'raw', maxBytes: 1_000_000 });
    if (read === undefined || read.to === since) continue;
    cursors[id] = read.to;
    tell({ type: 'read', id, from: read.from, to: read.to, text: read.text });
  }
}

let count = 0;
function command(
  lifetime: 'session' | 'persistent',
  code: number,
): { command: string; env: Record<string, string> } {
  count += 1;
  const token = `${supervisor.id}-${count}`;
  const lines = chance.below(60);
  return {
    command: `n=0; while [ $n -lt ${lines} ]; do echo $n; n=$((n+1)); sleep 0.01; done; echo ${code} > ${directory}/end.${token}; exit ${code}`,
    env: { CRASH_LIFETIME: `${lifetime}:${directory}`, CRASH_TOKEN: token },
  };
}

const deeds: readonly (() => Promise<void> | void)[] = [
  startInBackground,
  startInBackground,
  promote,
  killSome,
  killStubborn,
  startShort,
];

function startInBackground(): void {
  const lifetime = chance.below(2) === 0 ? 'persistent' : 'session';
  const { env, ...rest } = command(lifetime, chance.below(4));
  tell({ type: 'starting' });
  const { id } = supervisor.start({ ...rest, env, lifetime, background: true });
  tell({ type: 'started', id, lifetime, token: env['CRASH_TOKEN'] ?? '' });
}

async function promote(): Promise<void> {
  const lifetime = chance.below(2) === 0 ? 'persistent' : 'session';
  const { env, ...rest } = command(lifetime, chance.below(4));
  const handle = supervisor.start({ ...rest, env, lifetime, timeout: 0 });
  await delay(chance.below(10));
  if (handle.background())
    tell({ type: 'started', id: handle.id, lifetime, token: env['CRASH_TOKEN'] ?? '' });
}

function startShort(): void {
  void supervisor.execute({ command: ['true'], env: { CRASH_LIFETIME: `session:${directory}` } });
}

function killSome(): void {
  const live = supervisor.list({ live: true });
  const chosen = live[chance.below(live.length)];
  if (chosen === undefined) return;
  tell({ type: 'stopping', id: chosen.id });
  void supervisor.kill(chosen.id);
}

async function killStubborn(): Promise<void> {
  const lifetime = chance.below(2) === 0 ? 'persistent' : 'session';
  const { env } = command(lifetime, 0);
  const { id } = supervisor.start({
    // It also ends by itself: this host may be killed before it asks for the stop.
    command: `trap "" TERM; n=0; while [ $n -lt 40 ]; do n=$((n+1)); sleep 0.05; done; echo 0 > ${directory}/end.${env['CRASH_TOKEN']}`,
    env,
    lifetime,
    background: true,
  });
  tell({ type: 'started', id, lifetime, token: env['CRASH_TOKEN'] ?? '' });
  await delay(chance.below(20));
  tell({ type: 'stopping', id });
  void supervisor.kill(id);
}

readOn();
if (mode === 'finish') {
  while (supervisor.list({ live: true }).length > 0) await delay(20);
  readOn();
  await conversation.idle();
  await conversation.close();
  await supervisor.shutdown();
  tell({ type: 'finished' });
} else {
  for (;;) {
    await deeds[chance.below(deeds.length)]?.();
    readOn();
    await delay(chance.below(25));
  }
}
