/** How a command of troupe ends; a signal adds its number to 128, as in a shell. */
export const exitCodes = {
  done: 0,
  /** It was done, and the answer is no; or it could not be done, and stderr says why. */
  failed: 1,
  /** The command line, or a file that a person wrote, is not right. */
  usage: 2,
  /** A time limit ended the command, as with timeout(1). */
  timedOut: 124,
  /** A fault of troupe itself, or an output that cannot be written. */
  fault: 125,
  /** There is such a command, and it cannot be run. */
  notExecutable: 126,
  /** There is no such command. */
  notFound: 127,
} as const;

export const exitCodeHelp = `
Exit codes:
  0      done
  1      it did not work; stderr says why
  2      the command line is not right
  124    a time limit ended the command
  125    a fault of troupe itself
  126    the command cannot be run
  127    there is no such command
  128+n  ended by signal n (130: Ctrl-C)
run and wait end with the command's own exit code.`;
