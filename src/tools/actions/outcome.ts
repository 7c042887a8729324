import type { ToolAnswer } from '../tool.ts';

/** Result of an action, independent of the tool that presents it. */
export type Outcome<T> =
  | {
      readonly ok: true;
      readonly value: T;
      /** See `ToolAnswer`. */
      readonly reveals?: readonly string[];
      readonly onRecorded?: () => void;
    }
  | {
      readonly ok: false;
      readonly error: string;
      readonly data?: unknown;
      readonly reveals?: readonly string[];
      readonly worked?: true;
    };

export function toAnswer<T>(outcome: Outcome<T>, toData: (value: T) => unknown): ToolAnswer {
  if (!outcome.ok) return outcome;
  const { value, ...rest } = outcome;
  return { ...rest, data: toData(value) };
}
