import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const endSignals = join(import.meta.dirname, '../../src/cli/end-signals.ts');

/** Listens for its end, stops listening, and then writes to a process that has closed its input. */
const program = `
  import { spawn } from 'node:child_process';
  import { once } from 'node:events';
  import { onEndSignal } from ${JSON.stringify(endSignals)};
  onEndSignal(() => {})();
  const deaf = spawn('sh', ['-c', 'exec 0<&-; echo closed; exec sleep 600'], { stdio: ['pipe', 'pipe', 'inherit'] });
  await once(deaf.stdout, 'data');
  deaf.stdin.write('x');
  const [error] = await once(deaf.stdin, 'error');
  deaf.kill();
  await once(deaf, 'exit');
  console.log(error.code);
`;

test('a pipe that breaks afterwards is an error and no end', async () => {
  const ran = promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program]);

  expect(await ran).toEqual({ stdout: 'EPIPE\n', stderr: '' });
});
