import { z } from 'zod';
import type { BackendCommand, WriteResult } from '../../../machines/process/events.ts';
import type { CaptureAnswer, ScreenCapture } from '../../../machines/process/terminal.ts';
import type { ChatDelta } from '../../models/chat-model.ts';
import type { ModelFailure } from '../../models/model-error.ts';
import type { AwaitedInput } from '../../process/process-view.ts';
import type { ToldFact } from '../../spawn/backend.ts';

/** Version of the format. A later version is refused; fields that it adds to known entries are not a later version. */
export const recordingVersion = 1;

/** Milliseconds on the clock of the recording since its beginning. */
const at = z.number();
/** An attempt of a process. */
const attempt = { at, process: z.string(), attempt: z.number() };
/** A request to a model: models are counted in the order of `wrapModel`, requests of each from 0. */
const request = { at, model: z.number(), request: z.number() };

const facts: readonly [ToldFact['type'], ...ToldFact['type'][]] = [
  'process.spawned',
  'process.adopted',
  'process.spawnFailed',
  'process.exited',
  'process.lost',
  'process.signalled',
  'output.ended',
  'output.quieted',
  'tree.surveyed',
  'tree.gone',
  'tree.seen',
  'tree.paused',
  'tree.resumed',
];
const commands: readonly [BackendCommand['type'], ...BackendCommand['type'][]] = [
  'tree.end',
  'tree.signal',
  'tree.pause',
  'tree.resume',
  'tree.survey',
  'output.settle',
  'process.write',
  'process.endInput',
  'process.resize',
  'terminal.sendKeys',
  'terminal.capture',
];

/** The first line of a recording. */
export const recordingHeader = z.looseObject({
  type: z.literal('recording'),
  version: z.number(),
  /** Milliseconds since the epoch at the beginning. */
  epochMs: z.number(),
});

const anyObject = z.looseObject({});

/** A line of a recording after the header. Lines are in the order of events. */
export const recordingEntry = z.discriminatedUnion('type', [
  /** An id was given to a process or schedule; `of` is the command line or the message. */
  z.object({ type: z.literal('id'), at, kind: z.string(), of: z.string(), id: z.string() }),
  z.object({ type: z.literal('seed'), at, process: z.string(), seed: z.number() }),
  /** An attempt began. `unrecorded` is the reason why its output and facts are missing; `null` for a recorded attempt. */
  z.object({
    type: z.literal('run'),
    ...attempt,
    commandLine: z.string(),
    unrecorded: z.string().nullable(),
  }),
  z.object({
    type: z.literal('fact'),
    ...attempt,
    fact: z.looseObject({ type: z.enum(facts) }) as unknown as z.ZodType<ToldFact>,
  }),
  /** Output as text, or as base64 if the bytes are not UTF-8. Secrets are replaced. */
  z.object({
    type: z.literal('output'),
    ...attempt,
    stream: z.enum(['stdout', 'stderr', 'screen']),
    text: z.string().optional(),
    base64: z.string().optional(),
  }),
  z.object({
    type: z.literal('screen'),
    ...attempt,
    screen: anyObject as unknown as z.ZodType<ScreenCapture>,
  }),
  /** A command to the process, without its data; older recordings call `tree.end` by another name. `number` counts the commands of the attempt from 0. */
  z.object({
    type: z.literal('command'),
    ...attempt,
    number: z.number(),
    command: z.preprocess((name) => (name === 'process.signal' ? 'tree.end' : name), z.enum(commands)),
  }),
  z.object({
    type: z.literal('reply'),
    ...attempt,
    number: z.number(),
    answer: z.looseObject({ ok: z.boolean() }) as unknown as z.ZodType<WriteResult | CaptureAnswer>,
  }),
  /** The attempt was ready, or could not become so for the reason `failed`. */
  z.object({ type: z.literal('ready'), ...attempt, failed: z.string().nullable() }),
  /** The input that the process waits for has changed. */
  z.object({
    type: z.literal('input'),
    ...attempt,
    awaited: anyObject.nullable() as unknown as z.ZodType<AwaitedInput | null>,
  }),
  z.object({ type: z.literal('ports'), at, pids: z.array(z.number()), ports: z.array(z.number()) }),
  z.object({ type: z.literal('request'), ...request }),
  z.object({
    type: z.literal('delta'),
    ...request,
    delta: z.looseObject({ type: z.string() }) as unknown as z.ZodType<ChatDelta>,
  }),
  /** The reply is complete. */
  z.object({ type: z.literal('replied'), ...request }),
  /** The request failed; `failure` is `null` for an error that is no `ModelError`. */
  z.object({
    type: z.literal('failed'),
    ...request,
    message: z.string(),
    failure: z.string().nullable() as unknown as z.ZodType<ModelFailure | null>,
    retryAfterMs: z.number().nullable(),
  }),
  /** The last line of a recording that was closed. */
  z.object({ type: z.literal('closed'), at }),
]);

export type RecordingEntry = z.output<typeof recordingEntry>;
export type AttemptEntry = Extract<RecordingEntry, { attempt: number }>;
export type RequestEntry = Extract<RecordingEntry, { request: number }>;
