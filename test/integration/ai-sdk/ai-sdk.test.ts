import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testLastReply, testNextStep } from '../support/loop-laws.ts';
import { openModelServer } from '../support/model-server.ts';

const example = join(import.meta.dirname, 'example.ts');
const crash = join(import.meta.dirname, 'crash.ts');

testNextStep({ example });
testLastReply({ program: example, args: ['Build.'], printed: 'It is built.' });

test('a notice comes again after a crash before its delivery, and once only', async () => {
  await using server = await openModelServer();

  const crashed = await server.run(crash, 'die');
  const [second, third] = [await server.run(crash, 'report'), await server.run(crash, 'report')];

  expect(crashed.signal).toBe('SIGKILL');
  expect(second.stdout.match(/<process_notice|label=\\"build\\"/g)).toHaveLength(2);
  expect(third.stdout).toBe('[]');
});
