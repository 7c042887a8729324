import { createSupervisor, type Supervisor } from '../src/index.ts';
import { createScriptedBackend, type Script, type ScriptedBackend } from '../src/testing/index.ts';
import { type Answer, print, type Row } from './answer.ts';
import { alternate, type Contender, formatNumber, formatSpread, timeMs } from './rounds.ts';

const BATCH = 250;
const LIVES = 500;

/** A supervisor with so many live processes, of which none has an operating-system process. */
function createCrowd(alive: number): { supervisor: Supervisor; backend: ScriptedBackend } {
  const script: Script = (run) => {
    run.comeUp();
    if (endsAtOnce(run.request.work)) run.exit();
  };
  const backend = createScriptedBackend(script);
  const supervisor = createSupervisor({
    stateDirectory: false,
    backend,
    maxFinished: 0,
    maxBackgroundProcesses: 20_000,
  });
  for (let count = 0; count < alive; count += 1) {
    supervisor.start({ command: ['live'], background: true });
  }
  return { supervisor, backend };
}

function endsAtOnce(work: ScriptedBackend['lastRun']['request']['work']): boolean {
  return work.type === 'argv' && work.file === 'end';
}

/** µs for a start; what was started is ended again outside the measured time. */
function starting({ supervisor, backend }: ReturnType<typeof createCrowd>): Contender['run'] {
  return async () => {
    const before = backend.runs.length;
    const ms = await timeMs(() => {
      for (let count = 0; count < BATCH; count += 1)
        supervisor.start({ command: ['live'], background: true });
    });
    for (const run of backend.runs.slice(before)) run.exit();
    return (ms * 1000) / BATCH;
  };
}

/** µs for an event that changes nothing, told by the backend to processes among the others. */
function telling({ backend }: ReturnType<typeof createCrowd>): Contender['run'] {
  const [repeats, told] = [20, 100];
  return async () => {
    const ms = await timeMs(() => {
      for (let count = 0; count < repeats; count += 1) {
        for (const run of backend.runs.slice(0, told)) run.tell({ type: 'output.quieted' });
      }
    });
    return (ms * 1000) / (repeats * told);
  };
}

/** µs for a whole life, from the order to the result. */
function living({ supervisor }: ReturnType<typeof createCrowd>): Contender['run'] {
  return async () => {
    const ms = await timeMs(async () => {
      for (let count = 0; count < LIVES; count += 1) await supervisor.execute({ command: ['end'] });
    });
    return (ms * 1000) / LIVES;
  };
}

async function compare(
  what: string,
  call: {
    crowds: readonly { alive: number; crowd: ReturnType<typeof createCrowd> }[];
    measure: (crowd: ReturnType<typeof createCrowd>) => Contender['run'];
    rounds: number;
  },
): Promise<Row[]> {
  const contenders = call.crowds.map(({ alive, crowd }) => ({
    name: String(alive),
    run: call.measure(crowd),
  }));
  const findings = await alternate(contenders, { rounds: call.rounds, warmUps: 4 });
  return findings.map((finding, index) => ({
    cells: [what, finding.name, formatSpread(finding), `${formatNumber(finding.ratio)} ×`],
    ...(index > 0 && { goal: { text: '≤ 1.2 ×', isMet: finding.ratio <= 1.2 } }),
  }));
}

export async function answerScale(): Promise<Answer> {
  const few = { alive: 100, crowd: createCrowd(100) };
  const many = { alive: 1_000, crowd: createCrowd(1_000) };
  const most = { alive: 5_000, crowd: createCrowd(5_000) };
  const crowds = [few, many, most];
  const rows = [
    ...(await compare('a start', { crowds, measure: starting, rounds: 15 })),
    ...(await compare('an event', { crowds, measure: telling, rounds: 31 })),
    ...(await compare('a whole life', { crowds, measure: living, rounds: 20 })),
  ];
  for (const { crowd } of crowds) await crowd.supervisor.shutdown();
  return {
    question: 'Does it cost more the more processes are alive?',
    measured:
      'Starts, events, and 10 000 whole lives in one supervisor beside 100, 1 000 and 5 000 live processes, on a ' +
      'scripted backend: what the operating system costs is not in it.',
    columns: ['what', 'alive beside it', 'µs', 'to 100 alive'],
    rows,
  };
}

if (import.meta.main) print(await answerScale());
