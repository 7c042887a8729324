import type { Refusal } from '../../machines/supervisor/events.ts';
import { TroupeError } from '../config/troupe-error.ts';

/** A refused start in words. */
export function toRefusalError(
  refusal: Refusal,
  { max, backgroundIds }: { max: number; backgroundIds: readonly string[] },
): TroupeError {
  if (refusal === 'shutting-down') {
    const message = 'The supervisor is shutting down: nothing is started any more. Create another one.';
    return new TroupeError({ code: refusal, message });
  }
  const message =
    `Maximum background processes (${max}) reached: ${backgroundIds.join(', ')}. ` +
    'End one of them with kill(id), run this in the foreground, or raise the option "maxBackgroundProcesses" ' +
    '(max_background_processes in an agent file, --max-background of troupe mcp).';
  return new TroupeError({ code: refusal, message });
}
