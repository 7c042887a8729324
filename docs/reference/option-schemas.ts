import { z } from 'zod';
import { type AbortOptions, abortOptions } from '../../src/config/abort-signal.ts';
import { type AgentDefinition, agentFileSchema } from '../../src/config/agent-file-schema.ts';
import type { AgentPolicySettings, AgentSupervisorSettings } from '../../src/config/agent-file-sections.ts';
import { conversationOptions, finishOptions } from '../../src/config/conversation-options.ts';
import {
  aiSdkToolOptions,
  foreignToolOptions,
  mcpClientToolOptions,
} from '../../src/config/foreign-tool-options.ts';
import { type LeaveOptions, leaveOptions } from '../../src/config/leave-options.ts';
import { type PolicyOptions, policyOptions } from '../../src/config/policy-options.ts';
import { killOptions, limitChanges, signalOptions } from '../../src/config/process-order-options.ts';
import {
  type CommandSpec,
  commandSpec,
  type FunctionSpec,
  functionSpec,
} from '../../src/config/process-spec.ts';
import { iterationOptions, outputIterationOptions, readOptions } from '../../src/config/read-options.ts';
import { type RemoteOptions, remoteOptions } from '../../src/config/remote-options.ts';
import { scheduleOptions } from '../../src/config/schedule-options.ts';
import { writeSecretOptions } from '../../src/config/secret-source.ts';
import { supervisorOptions } from '../../src/config/supervisor-options.ts';
import {
  type CaptureOptions,
  captureOptions,
  type KeyOrder,
  keyInput,
} from '../../src/config/terminal-options.ts';
import { toolHostOptions } from '../../src/config/tool-host-options.ts';
import { type WaitOptions, waitOptions } from '../../src/config/wait-options.ts';
import { watchOptions } from '../../src/config/watch-options.ts';
import type { ConversationOptions, FinishOptions } from '../../src/conversation/conversation.ts';
import {
  type GroupMemberOptions,
  type GroupOptions,
  groupOptions,
  memberOptions,
} from '../../src/groups/group-options.ts';
import { type ChangeOptions, changeOptions } from '../../src/mcp/resource-changes.ts';
import {
  type AiSdkModelSettings,
  aiSdkSettings,
  type OpenAiModelOptions,
  openAiOptions,
} from '../../src/models/model-options.ts';
import type { IterationOptions } from '../../src/output/follow-log.ts';
import type { ReadOptions } from '../../src/output/output-read.ts';
import type {
  KillOptions,
  LimitChanges,
  OutputIterationOptions,
  SignalOptions,
} from '../../src/process/process-handle.ts';
import { type WorkerOptions, workerOptions } from '../../src/remote/worker-options.ts';
import type { ScheduleOptions } from '../../src/schedules/schedule.ts';
import type { SecretOptions } from '../../src/secrets/write-secret.ts';
import type { SupervisorOptions } from '../../src/supervisor/supervisor-options.ts';
import type { ForeignToolOptions } from '../../src/tools/foreign/define-foreign-tool.ts';
import type { AiSdkToolOptions } from '../../src/tools/foreign/from-ai-sdk-tools.ts';
import type { McpClientToolOptions } from '../../src/tools/foreign/from-mcp-client.ts';
import type { ToolHostOptions } from '../../src/tools/tool-host.ts';
import type { WatchOptions } from '../../src/watches/watch.ts';

type Plain<T> = T extends ((...args: never) => unknown) | RegExp | AbortSignal
  ? T
  : T extends object
    ? { readonly [Key in keyof T]-?: Plain<Exclude<T[Key], undefined>> }
    : T;

type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;

type IsOptional<T, Key extends keyof T> = Record<never, never> extends Pick<T, Key> ? true : false;

type DiffersAt<A, B, Key extends keyof A & keyof B> = unknown extends B[Key]
  ? never
  : Same<Plain<Exclude<A[Key], undefined>>, Plain<Exclude<B[Key], undefined>>> extends true
    ? Same<IsOptional<A, Key>, IsOptional<B, Key>> extends true
      ? never
      : Key
    : Key;

/** The names of options in which an interface and the input of its schema differ. */
type Differences<A, B, Own> =
  | Exclude<keyof A, keyof B>
  | Exclude<keyof B, keyof A>
  | { [Key in keyof A & keyof B]: Key extends Own ? never : DiffersAt<A, B, Key> }[keyof A & keyof B];

/**
 * Pairs an interface with its schema; the compiler refuses a pair whose options differ, and names them. Options in `Own` have a narrower
 * type in the interface than a schema of their folder can say; only their names are compared.
 */
const schemaOf =
  <Options, Own extends keyof Options = never>() =>
  <S extends z.ZodType<unknown, object>>(
    schema: S &
      ([Differences<Options, z.input<S>, Own>] extends [never]
        ? unknown
        : { readonly differs: Differences<Options, z.input<S>, Own> }),
  ): z.ZodType<unknown, object> =>
    schema;

/** Options of a section, by the types of its schema. */
type FileSectionOf<Name extends 'supervisor' | 'policy'> = WithoutIndex<
  NonNullable<z.output<typeof agentFileSchema>[Name]>
>;

type WithoutIndex<T> = { readonly [Key in keyof T as string extends Key ? never : Key]: T[Key] };

type SectionDifferences =
  | Differences<AgentSupervisorSettings, FileSectionOf<'supervisor'>, never>
  | Differences<AgentPolicySettings, FileSectionOf<'policy'>, never>;

/** `true` while the sections of an agent file have the options of their schemas; otherwise the compiler names the differences here. */
export const sectionsMatch: [SectionDifferences] extends [never] ? true : SectionDifferences = true;

/** Schemas of the exported interfaces of options, by the name of the interface. */
export const optionSchemas: Readonly<Record<string, z.ZodType>> = {
  SupervisorOptions: schemaOf<SupervisorOptions, 'backend' | 'wrapBackend' | 'records'>()(supervisorOptions),
  RemoteOptions: schemaOf<RemoteOptions>()(remoteOptions),
  WorkerOptions: schemaOf<WorkerOptions>()(workerOptions),
  CommandSpec: schemaOf<CommandSpec, 'command' | 'wrappedCommand'>()(commandSpec),
  FunctionSpec: schemaOf<FunctionSpec>()(functionSpec),
  KillOptions: schemaOf<KillOptions, 'signal'>()(killOptions),
  SignalOptions: schemaOf<SignalOptions>()(signalOptions),
  LeaveOptions: schemaOf<LeaveOptions>()(leaveOptions),
  LimitChanges: schemaOf<LimitChanges>()(limitChanges),
  ReadOptions: schemaOf<ReadOptions>()(readOptions),
  IterationOptions: schemaOf<IterationOptions>()(iterationOptions),
  OutputIterationOptions: schemaOf<OutputIterationOptions>()(outputIterationOptions),
  AbortOptions: schemaOf<AbortOptions>()(abortOptions),
  WaitOptions: schemaOf<WaitOptions>()(waitOptions),
  WatchOptions: schemaOf<WatchOptions>()(watchOptions),
  ScheduleOptions: schemaOf<ScheduleOptions>()(scheduleOptions),
  KeyOrder: schemaOf<KeyOrder>()(keyInput),
  CaptureOptions: schemaOf<CaptureOptions>()(captureOptions),
  SecretOptions: schemaOf<SecretOptions>()(writeSecretOptions),
  GroupOptions: schemaOf<GroupOptions, 'processes'>()(groupOptions),
  GroupMemberOptions: schemaOf<GroupMemberOptions, 'stopSignal'>()(z.strictObject(memberOptions)),
  PolicyOptions: schemaOf<PolicyOptions>()(policyOptions),
  ToolHostOptions: schemaOf<ToolHostOptions, 'tools'>()(toolHostOptions),
  ConversationOptions: schemaOf<ConversationOptions, 'tools'>()(conversationOptions),
  FinishOptions: schemaOf<FinishOptions>()(finishOptions),
  AgentDefinition: schemaOf<AgentDefinition, 'supervisor' | 'policy'>()(agentFileSchema),
  ChangeOptions: schemaOf<ChangeOptions>()(changeOptions),
  OpenAiModelOptions: schemaOf<OpenAiModelOptions>()(openAiOptions),
  ForeignToolOptions: schemaOf<ForeignToolOptions>()(foreignToolOptions),
  AiSdkToolOptions: schemaOf<AiSdkToolOptions>()(aiSdkToolOptions),
  McpClientToolOptions: schemaOf<McpClientToolOptions>()(mcpClientToolOptions),
  AiSdkModelSettings: schemaOf<AiSdkModelSettings, 'providerOptions'>()(aiSdkSettings),
};
