import { text } from 'node:stream/consumers';
import { fromDelegationText, type ParsedDelegation, parseContext } from '../../agents/delegation-text.ts';
import type { CliIo } from '../cli-io.ts';
import type { ExecFlags } from './exec-flags.ts';

/** What the agent is to do: of the flags or of stdin. What `--context` says stands above what stdin says. */
export async function readAssignment(
  { task, context }: Pick<ExecFlags, 'task' | 'context'>,
  { io, signal }: { readonly io: CliIo; readonly signal: AbortSignal },
): Promise<ParsedDelegation> {
  const told = context === undefined ? null : parseContext(context);
  if (told !== null && !told.ok) return told;
  const given = await readTask(task, { io, signal });
  if (!given.ok || told === null) return given;
  return { ...given, context: { ...given.context, ...told.context } };
}

async function readTask(
  task: string | undefined,
  { io, signal }: { readonly io: CliIo; readonly signal: AbortSignal },
): Promise<ParsedDelegation> {
  if (task !== undefined && task !== '-') {
    return task.trim() === '' ? fromDelegationText('') : { ok: true, task };
  }
  // Nobody is going to type a task that was not asked for.
  if (io.stdin.isTTY && task === undefined) return fromDelegationText('');
  const aborted = new Promise<string>((resolve) => {
    signal.addEventListener('abort', () => resolve(''), { once: true });
  });
  return fromDelegationText(await Promise.race([text(io.stdin), aborted]));
}
