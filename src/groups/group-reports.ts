import { describeEnd } from '../process/describe-end.ts';
import type { GroupEnd, GroupReadiness, GroupStopReport, MemberReadiness } from './process-group.ts';

export function toGroupReadiness(members: readonly MemberReadiness[]): GroupReadiness {
  const missing = members.flatMap((member) => {
    if (member.state === 'ready') return [];
    return member.state === 'failed' ? `${member.name} is not ready: ${member.why}` : member.why;
  });
  const ok = missing.length === 0;
  return { ok, members, message: ok ? `all ${members.length} are ready` : missing.join('\n') };
}

export function toStopReport(members: GroupStopReport['members']): GroupStopReport {
  const survived = members.filter(({ answer }) => 'receipt' in answer && answer.receipt.survivors.length > 0);
  const message =
    survived.length === 0
      ? `stopped: ${members.map(({ name }) => name).join(', ') || 'nothing was running'}`
      : survived.map(({ name, answer }) => `${name}: ${answer.message}`).join('\n');
  return { ok: survived.length === 0, members, message };
}

export function toGroupEnd(members: GroupEnd['members'], notes: readonly string[]): GroupEnd {
  const ends = members.map(({ name, end }) =>
    end === null ? `${name} was never started` : `${name} ${describeEnd(end.reason, end.exit)}`,
  );
  return { members, message: [...notes, ...ends].join('\n') };
}
