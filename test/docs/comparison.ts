import { exec, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { execa } from 'execa';
import { createSupervisor, type Supervisor } from '../../src/index.ts';
import { isAlive, waitUntil } from '../support/os.ts';

/** What the table of the README compares. */
export const contenders = ['node:child_process', 'execa', 'shell', 'troupe'] as const;
export type Contender = (typeof contenders)[number];

const supervisors: Supervisor[] = [];

function openSupervisor(): Supervisor {
  const supervisor = createSupervisor({ stateDirectory: false });
  supervisors.push(supervisor);
  return supervisor;
}

export async function closeSupervisors(): Promise<void> {
  await Promise.all(supervisors.map((supervisor) => supervisor.shutdown()));
}

/** A command that writes the pid of its child and its own pid to a file, and stays. */
const family = (file: string) => `sleep 600 & echo $! $$ > '${file}.new'; mv '${file}.new' '${file}'; wait`;

export async function pidsIn(file: string): Promise<readonly [child: number, leader: number]> {
  await waitUntil(() => existsSync(file));
  const [child = 0, leader = 0] = readFileSync(file, 'utf8').trim().split(' ').map(Number);
  return [child, leader];
}

/** Starts a command that has a child, kills it as the contender does, and waits until the leader is gone. Returns the pid of the child. */
export async function killFamily(contender: Contender, file: string): Promise<number> {
  const command = family(file);
  const kill = await startAs[contender](command);
  const [child, leader] = await pidsIn(file);
  await kill(leader);
  await waitUntil(() => !isAlive(leader));
  return child;
}

const startAs: Record<Contender, (command: string) => Promise<(leader: number) => Promise<unknown>>> = {
  'node:child_process': async (command) => {
    const child = spawn(command, { shell: true, stdio: 'ignore' });
    return async () => child.kill();
  },
  execa: async (command) => {
    const child = execa(command, { shell: true, stdio: 'ignore', reject: false });
    return async () => child.kill();
  },
  shell: async (command) => {
    spawn('sh', ['-c', `nohup sh -c "$1" > /dev/null 2>&1 &`, 'sh', command], { stdio: 'ignore' });
    return (leader) => once(spawn('sh', ['-c', `kill ${leader}`]), 'exit');
  },
  troupe: async (command) => {
    const handle = openSupervisor().start({ command, background: true });
    return () => handle.kill();
  },
};

/** The program that starts such a command, and is killed itself. */
export const starterOf: Record<Contender, (file: string, root: string) => string> = {
  'node:child_process': (file) =>
    `require('node:child_process').spawn(${JSON.stringify(family(file))}, { shell: true, stdio: 'ignore' })`,
  execa: (file, root) =>
    `import(${JSON.stringify(`${root}/node_modules/execa/index.js`)}).then(({ execa }) => execa(${JSON.stringify(family(file))}, { shell: true, stdio: 'ignore' }))`,
  shell: (file) =>
    `require('node:child_process').execFileSync('sh', ['-c', 'nohup sh -c "$1" > /dev/null 2>&1 &', 'sh', ${JSON.stringify(family(file))}]); setInterval(() => {}, 1000)`,
  troupe: (file, root) =>
    `import(${JSON.stringify(`${root}/src/index.ts`)}).then(({ createSupervisor }) => createSupervisor({ stateDirectory: false }).start({ command: ${JSON.stringify(family(file))}, background: true }))`,
};

/** Runs a command whose background child keeps its output open, and resolves with the answer of the contender. */
export const answerOf: Record<Contender, (command: string) => Promise<unknown>> = {
  'node:child_process': (command) => new Promise((resolve) => exec(command, resolve)),
  execa: (command) => execa(command, { shell: true, reject: false }),
  shell: (command) =>
    new Promise((resolve) => execFile('sh', ['-c', 'out=$(sh -c "$1")', 'sh', command], resolve)),
  troupe: (command) => openSupervisor().execute({ command }),
};

/** Runs a command with a limit of 500 ms for the caller's patience, and resolves when the caller has its answer. */
export const timeoutOf: Record<Contender, (command: string) => Promise<unknown>> = {
  'node:child_process': (command) =>
    new Promise((resolve) => exec(`exec ${command}`, { timeout: 500 }, resolve)),
  execa: (command) => execa(`exec ${command}`, { shell: true, timeout: 500, reject: false }),
  shell: (command) => new Promise((resolve) => execFile('sh', ['-c', `timeout 0.5 ${command}`], resolve)),
  troupe: (command) => openSupervisor().execute({ command: `exec ${command}`, timeout: '500ms' }),
};
