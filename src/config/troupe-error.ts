/** Errors in calls to troupe. Behaviour of the outside world is never an error but a value. */
export type TroupeErrorCode =
  | 'invalid-option'
  | 'unknown-process'
  | 'background-limit'
  | 'duplicate'
  | 'shutting-down'
  | 'unsupported-platform'
  | 'unknown-agent'
  | 'invalid-agent-file'
  | 'delegation-depth'
  | 'sandbox-unavailable'
  | 'inbox-full'
  | 'conversation-in-use'
  | 'not-found'
  | 'ambiguous'
  | 'unreachable'
  | 'state-directory'
  | 'protocol'
  | 'internal';

/** The only error that troupe throws. `message` says what happened, with which value, and what to do. */
export class TroupeError extends Error {
  readonly code: TroupeErrorCode;

  constructor(fields: { code: TroupeErrorCode; message: string; cause?: unknown }) {
    super(fields.message, fields.cause === undefined ? undefined : { cause: fields.cause });
    this.name = 'TroupeError';
    this.code = fields.code;
  }
}
