import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import type { CommandSpec } from '../../src/index.ts';
import { tempDir } from '../support/os.ts';
import { createVirtualHarness } from '../support/virtual.ts';

const refusal = (message: string) =>
  expect.objectContaining({ code: 'invalid-option', message: `start: ${message}` });

function lockedStream(): ReadableStream<string> {
  const stream = new ReadableStream<string>();
  stream.getReader();
  return stream;
}

const input = '"input" is given; ';
const restart = { policy: 'transient' } as const;

test.each<[object, string]>([
  [
    { input: 'x', stdin: 'pipe' },
    `${input}stdin is then written and ended by troupe. Leave "stdin" out, or use write and endInput.`,
  ],
  [
    { input: 'x', interactive: true },
    `${input}a terminal has no end of input. Leave "interactive" out, or use write.`,
  ],
  [
    { input: Readable.from(['x']), restart },
    `${input}a stream can be read only once, so no restart can have it. Give text or bytes, or use the restart policy "temporary".`,
  ],
  [
    { input: lockedStream() },
    `${input}the stream is locked, so another reader has it. Give a stream that nothing else reads.`,
  ],
  [
    { input: Readable.from(['x']), onDuplicate: 'join' },
    `${input}streams cannot be compared, so no process is a duplicate. Give text or bytes, or leave "onDuplicate" out.`,
  ],
  [
    { id: 'build-7', onDuplicate: 'join' },
    '"id" is "build-7" and "onDuplicate" is "join"; give one of them. With an id, the process of that id is returned.',
  ],
  [
    { command: ['make'], cwdFile: '/tmp/cwd' },
    '"cwdFile" is given; only a shell has a directory at its end. Give "command" as text, or leave "cwdFile" out.',
  ],
  [
    { lifetime: 'persistent' },
    '"lifetime" is "persistent"; the supervisor\'s "stateDirectory" is false, so no later supervisor could adopt the process. Name a directory.',
  ],
])('options that contradict each other are refused (%#)', async (spec, message) => {
  await using rig = createVirtualHarness({ hasTerminal: true });

  expect(() => rig.supervisor.start({ command: 'make', ...spec } as CommandSpec)).toThrow(refusal(message));
  expect(rig.backend.runs).toHaveLength(0);
});

const persistent = '"lifetime" is "persistent"; ';

test.each<[boolean, object, string]>([
  [
    false,
    {},
    `${persistent}this supervisor's own backend cannot run processes that outlive it. Use "session".`,
  ],
  [
    true,
    { logFile: false },
    `${persistent}"logFile" is false, and its output can only go to a file. Leave "logFile" out.`,
  ],
  [
    true,
    { secrets: { T: 'hunter2' } },
    `${persistent}it writes its log itself, where "secrets" cannot be hidden. Pass them as "env" if its log may show them, or use "session".`,
  ],
  [
    true,
    { input: 'x', restart },
    `${input}it is not recorded, so the next supervisor could not restart the process with it. Use the restart policy "temporary", or "session".`,
  ],
])('a persistent process needs more (%#)', async (durable, spec, message) => {
  using directory = tempDir();
  await using rig = createVirtualHarness({ durable, stateDirectory: directory.path });

  expect(() =>
    rig.supervisor.start({ command: 'make', lifetime: 'persistent', ...spec } as CommandSpec),
  ).toThrow(refusal(message));
});

test.each<[object]>([
  [{ input: Readable.from(['x']) }],
  [{ input: 'x', restart }],
  [{ input: 'x', onDuplicate: 'join' }],
  [{ input: Buffer.from('x') }],
  [{ id: 'build-7', onDuplicate: 'allow' }],
  [{ cwdFile: '/tmp/cwd' }],
])('options that agree are accepted (%#)', async (spec) => {
  await using rig = createVirtualHarness();

  rig.supervisor.start({ command: 'make', ...spec } as CommandSpec);

  expect(rig.backend.runs).toHaveLength(1);
});
