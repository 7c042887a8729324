import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { fixtureProgram, tempDir } from '../support/os.ts';
import { type Era, speaking } from './arrange.ts';

const program = fixtureProgram('mcp-server.ts');

/** A client with a server of its own, in a directory of its own. */
export async function connectByStdio(era: Era) {
  const directory = tempDir();
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program],
    cwd: directory.path,
    env: inherited(),
    stderr: 'ignore',
  });
  const client = new Client({ name: 'test', version: '1' }, speaking(era));
  await client.connect(transport);
  return {
    client,
    directory,
    pid: transport.pid as number,
    [Symbol.asyncDispose]: async () => {
      await client.close();
      directory.remove();
    },
  };
}

/** The same program with its pipes in our own hands. */
export function startServer(...args: string[]) {
  const directory = tempDir();
  const child = spawn(process.execPath, [program, ...args], { cwd: directory.path, env: inherited() });
  const said = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said.stderr += text;
  });
  // What is written to a server that has ended goes nowhere.
  child.stdin.on('error', () => {});
  const exited = once(child, 'close').then(([code, signal]) => ({ code, signal }));
  return {
    pid: child.pid as number,
    directory,
    said,
    exited,
    send: (...messages: unknown[]) => {
      for (const message of messages) child.stdin.write(`${JSON.stringify(message)}\n`);
    },
    write: (text: string) => child.stdin.write(text),
    end: () => child.stdin.end(),
    kill: (signal: NodeJS.Signals) => child.kill(signal),
    [Symbol.asyncDispose]: async () => {
      await endChild(child, exited);
      directory.remove();
    },
  };
}

async function endChild(child: ChildProcess, exited: Promise<unknown>): Promise<void> {
  child.stdin?.end();
  if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
  await exited;
}

/** The mark of the test run goes along. */
export function inherited(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
