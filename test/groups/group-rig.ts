import { startGroup } from '../../src/groups/create-group.ts';
import type { GroupOptions } from '../../src/groups/group-options.ts';
import type { ProcessGroup } from '../../src/groups/process-group.ts';
import type { ScriptedRun } from '../../src/testing/index.ts';
import { createVirtualHarness, type VirtualHarness, type VirtualOptions } from '../support/virtual.ts';

export interface GroupRig extends VirtualHarness {
  readonly group: ProcessGroup;
  /** Each start so far, oldest first: `name#attempt`. */
  starts(): readonly string[];
  /** The newest attempt of that member. */
  runOf(name: string): ScriptedRun;
}

/** A group of processes that are played by hand; their command is their name. */
export function createGroupRig(options: GroupOptions & { readonly supervisor?: VirtualOptions }): GroupRig {
  const { supervisor, ...groupOptions } = options;
  const rig = createVirtualHarness({ maxBackgroundProcesses: 100, ...supervisor });
  const group = startGroup(rig.supervisor, groupOptions);
  const nameOf = ({ request }: ScriptedRun) => (request.work.type === 'argv' ? request.work.file : '');
  return {
    ...rig,
    group,
    starts: () => rig.backend.runs.map((run) => `${nameOf(run)}#${run.request.attempt}`),
    runOf: (name) => {
      const run = rig.backend.runs.findLast((each) => nameOf(each) === name);
      if (run === undefined) throw new Error(`${name} was never started.`);
      return run;
    },
  };
}
