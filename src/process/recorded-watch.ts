import type { Revival } from './process-record.ts';

/** A watch as it stands in the record of its process. */
export type RecordedWatch = NonNullable<Revival['watches']>[number];
