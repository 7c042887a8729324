import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { filter, firstValueFrom } from 'rxjs';
import { createSupervisor, type Supervisor } from '../src/index.ts';
import { type Answer, judge, print } from './answer.ts';
import { startCat, timeRawExit } from './cat.ts';
import { alternate, find, formatSpread, timeMs } from './rounds.ts';

const TREE = 20;
/** A leader and its children; it says so when all of them are there. */
const treeScript = `i=1; while [ $i -lt ${TREE} ]; do sleep 1000 & i=$((i+1)); done; echo up; wait`;

/** From the end of the input of `cat` to the completion that a subscriber sees. */
async function timeCompletion(supervisor: Supervisor): Promise<number> {
  const handle = await startCat(supervisor);
  const completion = firstValueFrom(
    supervisor.completions$.pipe(filter(({ process }) => process.id === handle.id)),
  );
  return timeMs(() => {
    void handle.endInput();
    return completion;
  });
}

/** From the signal to the group to the end of all output, which the last of the tree holds open. */
async function timeRawKill(): Promise<number> {
  const child = spawn('sh', ['-c', treeScript], { detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const { pid } = child;
  if (pid === undefined) throw new Error('sh could not be started.');
  await once(child.stdout, 'data');
  return timeMs(() => {
    process.kill(-pid, 'SIGTERM');
    child.stdout.resume();
    child.stderr.resume();
    return once(child, 'close');
  });
}

/** From the order to the receipt: every one of the tree is proven gone. */
async function timeKill(supervisor: Supervisor): Promise<number> {
  const handle = supervisor.start({ command: ['sh', '-c', treeScript], background: true });
  await firstValueFrom(handle.lines$);
  return timeMs(async () => {
    const answer = await handle.kill();
    if (answer.type !== 'killed' || answer.receipt.survivors.length > 0) throw new Error(answer.message);
  });
}

export async function answerLatency(): Promise<Answer> {
  await using supervisor = createSupervisor({ stateDirectory: false });
  const exits = await alternate(
    [
      { name: 'raw', run: timeRawExit },
      { name: 'troupe', run: () => timeCompletion(supervisor) },
    ],
    { rounds: 100, warmUps: 100 },
  );
  const kills = await alternate(
    [
      { name: 'raw', run: timeRawKill },
      { name: 'troupe', run: () => timeKill(supervisor) },
    ],
    { rounds: 25, warmUps: 5 },
  );
  const [rawExit, exit] = [find(exits, 'raw'), find(exits, 'troupe')];
  const [rawKill, kill] = [find(kills, 'raw'), find(kills, 'troupe')];
  return {
    question: 'How soon is an end known?',
    measured:
      `From the end of its input to the exit of \`cat\`, and to the completion that a subscriber sees, after 100 of each; from the order to kill a tree of ${TREE} ` +
      'processes that obey to the end of its output, and to the proof that none of them is alive.',
    columns: ['what', 'with', 'ms'],
    rows: [
      { cells: ['exit', 'node:child_process, `exit`', formatSpread(rawExit)] },
      {
        cells: ['exit', 'troupe, `completions$`', formatSpread(exit)],
        ...judge('< 3 ms over raw', exit.median - rawExit.median < 3),
      },
      { cells: [`kill of ${TREE}`, 'process.kill of the group, `close`', formatSpread(rawKill)] },
      {
        cells: [`kill of ${TREE}`, 'troupe, `kill`', formatSpread(kill)],
        ...judge('< 30 ms', kill.median < 30),
      },
    ],
  };
}

if (import.meta.main) print(await answerLatency());
