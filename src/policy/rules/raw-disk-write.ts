import { programOf } from '../shell/simple-command.ts';
import type { DenyRule } from './deny-rule.ts';
import { toRawDisk } from './raw-disk.ts';
import { toWrittenPaths } from './written-paths.ts';

/** Bytes straight onto a disk or into memory, past any file system. */
export const rawDiskWrite: DenyRule = {
  name: 'raw-disk-write',
  what: 'a write to a raw disk',
  hint: 'Write into a file.',
  finds: (command) => {
    // The operands of dd have a rule of their own.
    const words = programOf(command) === 'dd' ? [] : command.words;
    const findings = toWrittenPaths({ ...command, words }).map((path) =>
      toRawDisk(path, command.directories),
    );
    if (findings.includes('yes')) return 'yes';
    return findings.includes('maybe') ? 'maybe' : 'no';
  },
};
