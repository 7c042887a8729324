import { z } from 'zod';
import { permissions } from '../config/policy-options.ts';
import { killOptions, limitChanges, signalOptions } from '../config/process-order-options.ts';
import { readOptions } from '../config/read-options.ts';
import { captureOptions, keyInput, terminalSize } from '../config/terminal-options.ts';
import { waitOptions } from '../config/wait-options.ts';

const none = z.strictObject({});
const id = z.string().min(1).max(200);
const ofProcess = z.strictObject({ id });
const owner = z.string().min(1).max(200);
const filter = z.strictObject({ owner: owner.optional(), process: id.optional() });
/** Validated by the consumer. */
const span = z.union([z.string(), z.number()]);

/** Parameters of each request. */
export const requestParams = {
  hello: none,
  list: none,
  show: ofProcess,
  read: z.strictObject({ id, options: readOptions.prefault({}) }),
  /** Times of the output. */
  times: ofProcess,
  /** Output from an offset until the process has ended. */
  follow: z.strictObject({ id, from: z.int().min(0).default(0) }),
  wait: ofProcess,
  waitFor: z.strictObject({
    id,
    options: waitOptions.omit({ signal: true, clock: true }).prefault({}),
  }),
  kill: z.strictObject({ id, options: killOptions.prefault({}) }),
  write: z.strictObject({ id, data: z.base64() }),
  endInput: ofProcess,
  capture: z.strictObject({ id, options: captureOptions.prefault({}) }),
  sendKeys: z.strictObject({ id, order: keyInput }),
  paste: z.strictObject({ id, text: z.string() }),
  resize: z.strictObject({ id, size: terminalSize }),
  writeSecret: z.strictObject({
    id,
    name: z.string().min(1).max(200),
    /** Secret known to the client; without it the supervisor looks it up by name. */
    value: z.string().min(1).optional(),
    pressEnter: z.boolean().default(true),
  }),
  /** Notifications of a watch owned by this client, until the process has ended. The watch ends with the request. */
  watch: z.strictObject({
    id,
    options: z.strictObject({ quiet: span.optional(), pattern: z.string().optional() }).prefault({}),
  }),
  /** Events since a time, in milliseconds since the epoch, and from then on as they happen. */
  events: z.strictObject({ since: z.number().min(0) }),
  /** Removes an owner's watch. */
  unwatch: z.strictObject({ id, owner: owner.optional() }),
  watches: filter,
  schedule: z.strictObject({
    options: z.strictObject({
      owner: owner.optional(),
      message: z.string().min(1),
      after: span.optional(),
      every: span.optional(),
      process: id.optional(),
    }),
  }),
  unschedule: z.strictObject({ id }),
  schedules: filter,
  signal: z.strictObject({ id, options: signalOptions }),
  pause: ofProcess,
  resume: ofProcess,
  restart: ofProcess,
  background: ofProcess,
  changeLimits: z.strictObject({ id, changes: limitChanges }),
  start: z.strictObject({
    /** A `CommandSpec`. A regular expression in `ready.line` is written as `{ source, flags }`. */
    spec: z.record(z.string(), z.unknown()),
    /** Environment that replaces the supervisor's; `spec.env` is applied on top. */
    env: z.record(z.string(), z.string()).optional(),
  }),
  /** Permission question from an agent in another program; pending until the request is answered or cancelled. */
  askPermission: z.strictObject({
    question: z.strictObject({
      tool: z.string(),
      permission: z.enum(permissions),
      start: z
        .strictObject({
          command: z.union([z.string(), z.array(z.string()).readonly()]),
          cwd: z.string().optional(),
        })
        .optional(),
      arguments: z.record(z.string(), z.unknown()),
      callId: z.string().nullable(),
      agent: z.string(),
      question: z.string(),
      reason: z.string(),
      always: z.array(z.string()).readonly().nullable(),
    }),
  }),
  /** Speaks the Model Context Protocol with this client until the request is cancelled. */
  mcp: z.strictObject({
    /** Name of the client: a later one of the same name receives what this one leaves. */
    name: z.string().min(1).max(100),
    cwd: z.string().min(1),
    /** Tool sets, separated by commas. */
    tools: z.string(),
    /** Options of the policy, which check themselves when it is created. */
    policy: z.record(z.string(), z.unknown()),
    version: z.string(),
    /** Environment of the client's commands, in place of the supervisor's. */
    env: z.record(z.string(), z.string()),
  }),
  /** Message of the client to its channel. */
  mcpMessage: z.strictObject({ channel: z.string().min(1), message: z.record(z.string(), z.unknown()) }),
  sweep: z.strictObject({ all: z.boolean().default(false) }),
  shutdown: none,
  cancel: z.strictObject({ request: z.int() }),
} as const;
