/** The codes of `TroupeError`, each with what has happened. Behaviour of the outside world is never an error but a value. */
export const errorCodes = {
  'invalid-option':
    'An option, an argument or a value is not valid. The message names it, its value and what is expected. Nothing was started.',
  'background-limit':
    'A background start was refused, because `maxBackgroundProcesses` processes are in the background. Nothing was started.',
  duplicate:
    'With `onDuplicate: "refuse"`: this owner already runs the same command in the background. With `id`: the id belongs to another command, or its process is out of reach. Nothing was started.',
  aborted:
    'The `signal` of a start was aborted before the start; `cause` is its reason. Nothing was started.',
  'shutting-down': 'The supervisor is shutting down and accepts no starts and no schedules.',
  'unsupported-platform': 'troupe does not run here: Windows, or a `/proc` of another pid namespace.',
  'unknown-agent': 'There is no agent of that name in the project. The message lists those that exist.',
  'invalid-agent-file': 'An agent file is not valid. The message has each problem with line and column.',
  'delegation-depth': 'An agent was not started, because it would be deeper than the maximum depth.',
  'sandbox-unavailable':
    'The policy requires a sandbox, and it is unavailable; or the sandbox failed with the command. Nothing was started.',
  'inbox-full': 'A conversation has 1 000 messages waiting and did not accept another one.',
  'conversation-in-use': 'Another program has the journal of this conversation open.',
  'not-found':
    'A process, schedule or conversation is unknown or has ended, or what it needs to start again is gone.',
  'output-lost':
    'A reader without loss needs output that is no longer kept. The message says how much, and why.',
  'input-refused':
    'The stdin stream of a process cannot be written: the process has ended, or takes no input.',
  unreachable:
    'A supervisor or daemon does not answer on its control socket, or is out of reach of this program.',
  'state-directory':
    'The state directory cannot be used: it is a link, belongs to another user, is writable by others, or cannot be written.',
  protocol:
    'The control protocol was broken: another version, an unknown request, or a message that is no JSON or is too long.',
  recording:
    'A recording cannot be read or replayed, or the program differs from the recording. The message says where.',
  internal: 'A fault of troupe itself, or of a system program that it needs.',
} as const;

/** Code of a `TroupeError`; `errorCodes` describes each. */
export type TroupeErrorCode = keyof typeof errorCodes;

/** The only error that troupe throws. `message` says what happened, with which value, and what to do. */
export class TroupeError extends Error {
  readonly code: TroupeErrorCode;

  constructor(fields: { code: TroupeErrorCode; message: string; cause?: unknown }) {
    super(fields.message, fields.cause === undefined ? undefined : { cause: fields.cause });
    this.name = 'TroupeError';
    this.code = fields.code;
  }
}
