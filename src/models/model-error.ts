/** Why a model gave no reply. */
export type ModelFailure =
  /** The endpoint cannot be reached, or answers 5xx. */
  | 'unavailable'
  | 'rateLimited'
  /** The stream ended in the middle. */
  | 'cut'
  /** The endpoint answered what is no reply. */
  | 'invalid'
  /** No key, a wrong one, or one without the right. */
  | 'unauthorized'
  /** The messages are more than the model takes at once. */
  | 'tooLong'
  /** The request itself was refused, such as one that names an unknown model. */
  | 'refused';

/** Nobody waits longer than this for the next attempt. */
export const maxRetryAfterMs = 5 * 60_000;

/** A model's failure in words, and whether trying again can help. */
export class ModelError extends Error {
  readonly failure: ModelFailure;
  /** The same request may succeed soon: not where the endpoint wants us to wait for more than five minutes. */
  readonly isRetryable: boolean;
  /** How long the endpoint wants us to wait; `null` where it did not say. */
  readonly retryAfterMs: number | null;

  constructor(fields: {
    failure: ModelFailure;
    message: string;
    retryAfterMs?: number | null;
    cause?: unknown;
  }) {
    super(fields.message, fields.cause === undefined ? undefined : { cause: fields.cause });
    this.name = 'ModelError';
    this.failure = fields.failure;
    this.retryAfterMs = fields.retryAfterMs ?? null;
    this.isRetryable = isPassing(fields.failure) && (this.retryAfterMs ?? 0) <= maxRetryAfterMs;
  }
}

function isPassing(failure: ModelFailure): boolean {
  return failure !== 'unauthorized' && failure !== 'tooLong' && failure !== 'refused';
}
