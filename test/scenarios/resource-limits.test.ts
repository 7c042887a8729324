import { getPriority } from 'node:os';
import { expect, test } from 'vitest';
import type { CommandSpec, EndedResult, ResourceLimits } from '../../src/index.ts';
import { openRealHarness } from '../support/real.ts';

const MIB = 1024 * 1024;

/** Ways to run a command; a persistent one writes its own log. */
const places: Readonly<Record<string, Omit<Partial<CommandSpec>, 'resourceLimits'>>> = {
  'on pipes': {},
  'with a file': { lifetime: 'persistent' },
  'in a pty': { interactive: true },
  'in tmux': { interactive: true, lifetime: 'persistent' },
};

/** Prints its limits as the kernel has them. */
const showLimits = `grep -E '^Max (open files|data size)' /proc/self/limits | tr -s ' '; cat /proc/self/oom_score_adj; nice`;

async function run(
  command: string,
  { resourceLimits, ...spec }: Partial<CommandSpec> & { readonly resourceLimits: ResourceLimits },
  options = {},
): Promise<EndedResult> {
  await using stage = openRealHarness(options);
  const process = stage.supervisor.start({ command, resourceLimits, ...spec });
  await process.ended;
  return process.result() as Promise<EndedResult>;
}

test.each(Object.entries(places))('a command %s has the limits of its start', async (_, place) => {
  const nice = Math.min(19, getPriority() + 3);
  const resourceLimits = { openFiles: 77, memoryBytes: 512 * MIB, oomScoreAdj: 500, nice };

  const result = await run(showLimits, { resourceLimits, ...place }, { cgroups: false });

  expect(
    result.output
      .replaceAll('\r', '')
      .trimEnd()
      .split('\n')
      .map((line) => line.trimEnd()),
  ).toEqual(['Max data size 536870912 536870912 bytes', 'Max open files 77 77 files', '500', `${nice}`]);
  expect(result.process.resourceLimits).toEqual({ ...resourceLimits, memoryOf: 'process' });
});

test.each(Object.entries(places).filter(([name]) => name !== 'with a file'))(
  'a command %s that writes too large a file ends by its limit',
  async (_, place) => {
    const command = 'exec head -c 3000 /dev/zero >big';

    const { process } = await run(command, { resourceLimits: { fileBytes: 1_000 }, ...place });

    expect(process).toMatchObject({
      status: 'failed',
      reason: { type: 'fileTooLarge', limitBytes: 1_000, signal: 'SIGXFSZ' },
    });
  },
);

test('the end by a limit says which it was', async () => {
  const result = await run('exec head -c 3000 /dev/zero >big', {
    id: 'big',
    resourceLimits: { fileBytes: 1_024 },
  });

  expect(result).toMatchObject({
    type: 'failed',
    message:
      'Process big was ended by the kernel with SIGXFSZ: a file exceeded its limit fileBytes of 1.0 KiB.',
  });
});

test('an allocation beyond the memory of a process fails', async () => {
  const allocate = (mebibytes: number) => `perl -e '$x = "a" x (${mebibytes} * 1048576); print "got it"'`;
  const options = { cgroups: false };
  const resourceLimits = { memoryBytes: 200 * MIB };

  expect((await run(allocate(20), { resourceLimits }, options)).output).toBe('got it');
  expect(await run(allocate(400), { resourceLimits }, options)).toMatchObject({
    type: 'failed',
    stderr: expect.stringMatching(/out of memory/i),
  });
});

test('limits of the supervisor hold for a start that names others', async () => {
  const options = { cgroups: false, resourceLimits: { openFiles: 99, oomScoreAdj: 300 } };

  const result = await run(
    'ulimit -n; cat /proc/self/oom_score_adj',
    { resourceLimits: { openFiles: 50 } },
    options,
  );

  expect(result.output).toBe('50\n300\n');
  expect(result.process.resourceLimits).toEqual({ openFiles: 50, oomScoreAdj: 300 });
});

test('a restarted attempt has the limits too', async () => {
  const result = await run('ulimit -n; exit 3', {
    resourceLimits: { openFiles: 50 },
    restart: { policy: 'transient', maxRestarts: 1, minBackoff: 1 },
  });

  expect(result.output).toBe('50\n50\n');
});

test('a command with limits gets exactly its environment', async () => {
  await using stage = openRealHarness();
  const { supervisor } = stage;
  const show = 'env | grep -v -e ^TROUPE_ -e ^_= | sort';

  const plain = await supervisor.execute({ command: show });
  const limited = await supervisor.execute({
    command: show,
    resourceLimits: { openFiles: 64, nice: getPriority() },
  });

  expect('output' in limited && limited.output).toBe('output' in plain && plain.output);
});

test('a limit that cannot be kept is refused before anything starts', async () => {
  await using stage = openRealHarness({ cgroups: false });
  const refusal = (resourceLimits: ResourceLimits, place: Partial<CommandSpec> = {}) => {
    try {
      stage.supervisor.start({ command: 'true', resourceLimits, ...place });
      return null;
    } catch (error) {
      return (error as Error).message;
    }
  };

  expect(refusal({ processes: 10 })).toBe(
    'start: "resourceLimits.processes" is 10; only cgroups limit it, and the option "cgroups" is false. Run this program as root or in a cgroup of its own with delegated controllers (systemd-run --user --scope -p Delegate=yes …), or leave it out.',
  );
  expect(refusal({ fileBytes: 1_000 }, { lifetime: 'persistent' })).toBe(
    'start: "resourceLimits.fileBytes" is 1000; a persistent command without a terminal writes its log itself, which would count as well. Use another "lifetime", "interactive", or leave it out.',
  );
  expect(refusal({ memoryBytes: 1 })).toMatch(/^start: "resourceLimits.memoryBytes" is 1;/);
  expect(stage.supervisor.list()).toEqual([]);
});
