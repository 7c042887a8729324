import { dirname, join } from 'node:path';
import { toErrorText } from '../config/error-text.ts';
import { findInstalled, ownAddress } from '../config/installed-package.ts';
import { TroupeError } from '../config/troupe-error.ts';

/**
 * Returns the command line of the running troupe, from sources or built: the program that runs delegates.
 *
 * @throws TroupeError `not-found` in a bundle, if the package is not installed beside it.
 */
export function ownExecCommand(): readonly [string, ...string[]] {
  const program = ownAddress()?.endsWith('.ts') ? 'src/cli/main.ts' : 'dist/src/cli/main.js';
  return [process.execPath, join(findFolder(), program)];
}

function findFolder(): string {
  try {
    return dirname(findInstalled('troupe/package.json'));
  } catch (cause) {
    const [reason] = toErrorText(cause).split('\n');
    const message = `The program "troupe", which runs a delegate in a process of its own, is not installed beside this bundle (${reason}). Install the package "troupe" there, set "execCommand", or run the delegate with "mode": "in_process".`;
    throw new TroupeError({ code: 'not-found', message, cause });
  }
}
