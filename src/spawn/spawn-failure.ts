import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import type { SpawnFailureCause } from '../../machines/process/context.ts';
import { redactText } from '../output/redact.ts';
import type { SpawnRequest, ToldFact, Work } from './backend.ts';

type SpawnFailedFact = Extract<ToldFact, { type: 'process.spawnFailed' }>;

/**
 * Says why the operating system refused a start. `spawn` reports a missing directory as a missing program
 * (ENOENT for both), so the directory is looked at first.
 */
export async function toSpawnFailure(error: unknown, request: SpawnRequest): Promise<SpawnFailedFact> {
  const code = errorCode(error);
  const cause = (await causeInDirectory(request.cwd)) ?? causeByCode(code);
  const message = redactText(describe({ cause, code, error, request }), request.secrets);
  return { type: 'process.spawnFailed', cause, code, message };
}

function errorCode(error: unknown): string | null {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : null;
}

async function causeInDirectory(cwd: string): Promise<SpawnFailureCause | null> {
  try {
    if (!(await stat(cwd)).isDirectory()) return 'missing-cwd';
    await access(cwd, constants.X_OK);
    return null;
  } catch (error) {
    return errorCode(error) === 'EACCES' ? 'no-permission' : 'missing-cwd';
  }
}

function causeByCode(code: string | null): SpawnFailureCause {
  switch (code) {
    case 'ENOENT':
      return 'missing-program';
    case 'EACCES':
    case 'EPERM':
      return 'no-permission';
    case 'E2BIG':
    case 'ENAMETOOLONG':
      return 'arguments-too-long';
    case 'EMFILE':
    case 'ENFILE':
      return 'too-many-files';
    case 'EAGAIN':
    case 'ENOMEM':
      return 'out-of-processes';
    default:
      return 'other';
  }
}

function describe(failure: {
  cause: SpawnFailureCause;
  code: string | null;
  error: unknown;
  request: SpawnRequest;
}): string {
  const { cause, code, request } = failure;
  const program = programOf(request.work);
  switch (cause) {
    case 'missing-program':
      return `The program "${program}" was not found${program.includes('/') ? '' : ' on the PATH'}. Check its name, or install it.`;
    case 'missing-cwd':
      return `The working directory "${request.cwd}" does not exist or is not a directory. Give one that exists.`;
    case 'no-permission':
      return `"${program}" may not be run in "${request.cwd}" (${code ?? 'EACCES'}). Check the permissions of both.`;
    case 'arguments-too-long':
      return `The arguments of "${program}" are longer than the system allows (${code}). Pass them in a file.`;
    case 'too-many-files':
      return `Too many files are open to start "${program}" (${code}). End other processes, or raise "ulimit -n".`;
    case 'out-of-processes':
      return `The system has no resources for "${program}" (${code}). End other processes and try again.`;
    case 'other':
      return `"${program}" could not be started: ${String(failure.error)}`;
  }
}

function programOf(work: Work): string {
  if (work.type === 'argv') return work.file;
  if (work.type === 'worker') return work.module;
  return work.type === 'shell' ? work.shell : work.run.name || 'function';
}
