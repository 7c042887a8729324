import type { WriteResult } from '../../../machines/process/events.ts';

/** Passes on what a person types, in order and one piece at a time: what comes meanwhile goes with the next. */
export interface TypedInput {
  push(bytes: Buffer): void;
}

export function createTypedInput(wiring: {
  write(data: Uint8Array): Promise<WriteResult>;
  /** It was not taken: it has ended, or does not read. */
  onRefused(): void;
  onFault(error: unknown): void;
}): TypedInput {
  let waiting: Buffer[] = [];
  let isWriting = false;

  const passOn = async () => {
    isWriting = true;
    while (waiting.length > 0) {
      const data = Buffer.concat(waiting);
      waiting = [];
      const result = await wiring.write(data);
      if (!result.ok) wiring.onRefused();
    }
    isWriting = false;
  };
  return {
    push: (bytes) => {
      if (bytes.byteLength === 0) return;
      waiting.push(bytes);
      if (!isWriting) passOn().catch(wiring.onFault);
    },
  };
}
