/** Reasons why a model gave no reply. */
export type ModelFailure =
  /** The endpoint is unreachable, or answers 5xx. */
  | 'unavailable'
  | 'rateLimited'
  /** The stream ended in the middle. */
  | 'cut'
  /** The endpoint's answer is no reply. */
  | 'invalid'
  /** The key is missing, wrong, or lacks permission. */
  | 'unauthorized'
  /** The messages exceed the model's limit. */
  | 'tooLong'
  /** The request itself was refused, for instance because of an unknown model. */
  | 'refused';

/** Maximum wait before the next attempt. */
export const maxRetryAfterMs = 5 * 60_000;

/** The failure of a model, and whether a retry can help. */
export class ModelError extends Error {
  readonly failure: ModelFailure;
  /** A retry may succeed soon. False if the endpoint requests a wait of more than five minutes. */
  readonly isRetryable: boolean;
  /** The wait requested by the endpoint; `null` if none. */
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
