import { startGroup } from '../../src/groups/create-group.ts';
import type { GroupOptions } from '../../src/groups/group-options.ts';
import type { ProcessGroup } from '../../src/groups/process-group.ts';
import type { SupervisorOptions } from '../../src/index.ts';
import type { ScriptedRun } from '../../src/testing/index.ts';
import { createScriptedRig, type ScriptedRig, turn } from '../supervisor/scripted-rig.ts';

export interface GroupRig extends ScriptedRig {
  readonly group: ProcessGroup;
  /** Each start so far, oldest first: `name#attempt`. */
  starts(): readonly string[];
  /** The newest attempt of that member. */
  runOf(name: string): ScriptedRun;
}

/** A group of processes that are played by hand; their command is their name. */
export function createGroupRig(
  options: GroupOptions & { readonly supervisor?: SupervisorOptions },
): GroupRig {
  const { supervisor, ...groupOptions } = options;
  const rig = createScriptedRig({ maxBackgroundProcesses: 100, ...supervisor });
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

/** Lets time pass in small steps, with all that needs none in between. */
export async function pass(rig: ScriptedRig, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 50) {
    rig.clock.advance(Math.min(50, left));
    await turn();
  }
  await turn();
}
