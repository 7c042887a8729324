import type { TreeMember } from '../../../machines/process/context.ts';
import { readProcText, readStatLine } from './proc-entry.ts';

/** Describes members that are alive after SIGKILL, each with the reason as far as the system tells it. */
export function describeSurvivors(members: readonly TreeMember[]): string {
  return members
    .map((member) => `${member.pid} (${member.command}), which ${describeReason(member)}`)
    .join('; ');
}

function describeReason({ pid, startedAt }: TreeMember): string {
  const line = readStatLine(pid);
  if (line === null || line.startTicks !== startedAt) return 'was alive at the last check';
  if (line.state === 'D')
    return 'waits in the kernel, perhaps for a disk or the network, and ends when that responds';
  const user = readUser(pid);
  if (user !== null && process.geteuid?.() !== 0 && user !== process.geteuid?.())
    return `runs as user id ${user}, and only that user may end it`;
  return `the system has not ended (state ${line.state})`;
}

/** Reads the effective user; proc_pid_status(5). */
function readUser(pid: number): number | null {
  const [, user] = /^Uid:\s+\d+\s+(\d+)/m.exec(readProcText(`/proc/${pid}/status`) ?? '') ?? [];
  return user === undefined ? null : Number(user);
}
