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
  /** The request itself was refused, such as one that is too long or names an unknown model. */
  | 'refused';

/** A model's failure in words, and whether trying again can help. */
export class ModelError extends Error {
  readonly failure: ModelFailure;
  /** The same request may succeed later. */
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
    this.isRetryable = ['unavailable', 'rateLimited', 'cut', 'invalid'].includes(fields.failure);
    this.retryAfterMs = fields.retryAfterMs ?? null;
  }
}
