export type { CompactionReason } from '../machines/conversation/events.ts';
export type {
  EndReason,
  ExceededLimit,
  ExitStatus,
  FinalStatus,
  HeldBy,
  KillReceipt,
  LimitName,
  Limits,
  OnTimeout,
  ProcessEnd,
  ProcessSignal,
  Requester,
  RestartPolicy,
  RestartSettings,
  RunSettings,
  SentSignal,
  SignalTarget,
  SignalWay,
  SpawnFailureCause,
  StopOrder,
  TreeMember,
} from '../machines/process/context.ts';
export type {
  BackendCommand,
  BackendFact,
  HaltedTree,
  SignalCause,
  SignalOutcome,
  SignalReason,
  SignalReply,
  WriteFailure,
  WriteResult,
} from '../machines/process/events.ts';
export type {
  CaptureAnswer,
  Highlight,
  KeyStroke,
  Modifiers,
  NamedKey,
  Paste,
  ScreenCapture,
  TerminalCommand,
  TerminalSize,
} from '../machines/process/terminal.ts';
export type { LiveStatus, ProcessStatus } from '../machines/process/view.ts';
export type {
  Agent,
  AgentOptions,
  AgentResult,
  DelegationContext,
} from './agents/agent.ts';
export { chooseModel, type ModelChoice } from './agents/choose-model.ts';
export { createAgent, type RunOptions, runAgent } from './agents/create-agent.ts';
export { type AgentSummary, listAgents, loadAgent } from './agents/load-agent.ts';
export type { ToolModule, ToolModulePlace } from './agents/load-tool-modules.ts';
export { applyOverrides, parseAgentFile } from './agents/parse-agent-file.ts';
export type { Diagram, DiagramState, DiagramStateKind, DiagramTransition } from './charts/diagram.ts';
export type { Cancel, Clock } from './clock/clock.ts';
export type { AbortOptions } from './config/abort-signal.ts';
export type {
  AgentDefinition,
  AgentLimits,
  AgentToolSettings,
  ContextSettings,
  DelegationSettings,
  ModelSettings,
} from './config/agent-file-schema.ts';
export type {
  AgentHintSettings,
  AgentPolicyCommands,
  AgentPolicySettings,
  AgentPolicyTools,
  AgentSupervisorSettings,
} from './config/agent-file-sections.ts';
export type { Duration } from './config/duration.ts';
export type { PolicyOptions, PolicyRule, PolicySettings, RuleName } from './config/policy-options.ts';
export type {
  CommandSpec,
  FunctionContext,
  FunctionSpec,
  InputSource,
  ProcessOptions,
  ReadyOptions,
  RestartOptions,
  SizeOptions,
  WorkerContext,
} from './config/process-spec.ts';
export type { RemoteOptions } from './config/remote-options.ts';
export type { AppliedLimits, ResourceLimits } from './config/resource-limits.ts';
export type { AskSecret, SecretQuestion, SecretSource } from './config/secret-source.ts';
export type { EndingSignal } from './config/signal-name.ts';
export type { Span } from './config/span.ts';
export type {
  HintOptions,
  Inspect,
  LifetimeOption,
  LimitOptions,
  OutputOptions,
} from './config/supervisor-options.ts';
export type { CaptureOptions, KeyOrder } from './config/terminal-options.ts';
export { errorCodes, TroupeError, type TroupeErrorCode } from './config/troupe-error.ts';
export type { WaitOptions } from './config/wait-options.ts';
export type { WatchOver } from './config/watch-options.ts';
export type { WorkerLimits, WorkerModule } from './config/worker-module.ts';
export { createReachableSupervisor as createSupervisor } from './control/reachable-supervisor.ts';
export { type Compact, type CompactionRequest, compactByAge } from './conversation/compact.ts';
export type {
  Conversation,
  ConversationOptions,
  ConversationStatus,
  FinishOptions,
} from './conversation/conversation.ts';
export type { ConversationEvent, TurnOutcome } from './conversation/conversation-event.ts';
export { createConversation } from './conversation/create-conversation.ts';
export { type GroupStarter, startGroup } from './groups/create-group.ts';
export type { GroupMemberOptions, GroupOptions, GroupProcessSpec } from './groups/group-options.ts';
export type {
  GroupEnd,
  GroupMemberView,
  GroupReadiness,
  GroupStopReport,
  GroupView,
  MemberReadiness,
  ProcessGroup,
} from './groups/process-group.ts';
export type { RestartStrategy } from './groups/restart-scope.ts';
export { createLiveHandler, type LiveHandlerOptions } from './live/live-handler.ts';
export type {
  ConversationView,
  LiveState,
  LiveStore,
  OpenQuestion,
  ReadableStore,
} from './live/live-state.ts';
export { createLocalStore, type LocalStore, type LocalStoreOptions } from './live/local-store.ts';
export type { MachineStep, MachineView } from './live/machine-view.ts';
export type { Attention } from './mailbox/attention.ts';
export type { Mailbox, MailboxReader, MailboxStore, Notice } from './mailbox/mailbox.ts';
export type { MailboxEntry } from './mailbox/mailbox-entry.ts';
export type { MailboxChange, MailboxState } from './mailbox/mailbox-state.ts';
export type { DuePart, EndedPart, NoticePart, WatchPart } from './mailbox/notice-part.ts';
export type { RunningState } from './mailbox/running-state.ts';
export { type AiSdkLanguageModel, createAiSdkModel } from './models/ai-sdk.ts';
export type {
  ChatDelta,
  ChatMessage,
  ChatModel,
  ChatRequest,
  ProviderData,
  TokenUsage,
  ToolCall,
  ToolDescription,
} from './models/chat-model.ts';
export { ModelError, type ModelFailure } from './models/model-error.ts';
export type { AiSdkModelSettings, JsonValue, OpenAiModelOptions } from './models/model-options.ts';
export { createOpenAiModel } from './models/openai-compatible.ts';
export {
  createScriptedModel,
  type ScriptedCall,
  type ScriptedReply,
  type ScriptedStep,
} from './models/scripted-model.ts';
export { waitFor } from './observe/wait-for.ts';
export type { IterationOptions } from './output/follow-log.ts';
export type { OutputLine } from './output/lines.ts';
export type { OutputChunk, OutputGap, OutputPiece, StreamPositions } from './output/output-chunk.ts';
export type { OutputSink, OutputStream } from './output/output-sink.ts';
export type { LengthMark, OutputTimes } from './output/output-times.ts';
export type { OutputRead, ReadOptions } from './output/read-output.ts';
export type { OutputReader } from './output/reader.ts';
export type { Ask, Consent, PermissionCall, PermissionQuestion } from './policy/authorize.ts';
export { createPolicy } from './policy/create-policy.ts';
export { createGrants, type Grant, type Grants } from './policy/grant.ts';
export type { Permission } from './policy/permission.ts';
export type { Policy, PolicyRequest, PreparedStart, StartRequest, Verdict } from './policy/policy.ts';
export type { Command } from './process/command.ts';
export type {
  KillAnswer,
  KillOptions,
  LimitChanges,
  OutputIterationOptions,
  ProcessHandle,
  SignalAnswer,
  SignalOptions,
  SignalRefusal,
} from './process/process-handle.ts';
export type { AdoptionData as Revival, ProcessRecord, RecordedReadiness } from './process/process-record.ts';
export type {
  AgentAnswer,
  BackgroundedResult,
  CompletedResult,
  EndedResult,
  EndFacts,
  FailedResult,
  KilledResult,
  Leftover,
  LiveFacts,
  LostResult,
  PrintedText,
  ProcessResult,
  QueuedResult,
  RefusedResult,
  StartedResult,
  SurvivedResult,
  TimedOutResult,
} from './process/process-result.ts';
export type {
  AwaitedInput,
  FinalFacts,
  FinalView,
  OutputView,
  ProcessDescription,
  ProcessFacts,
  ProcessKind,
  ProcessLifetime,
  ProcessView,
  ProgressView,
  ReadyView,
  TerminalView,
} from './process/process-view.ts';
export {
  type BackgroundedData,
  type CommandFacts,
  type ProcessBrief,
  type ResultEnvelope,
  toEnvelope,
} from './process/result-envelope.ts';
export type { TimelineCause, TimelineEntry, TimelineEvent } from './process/timeline.ts';
export type { ConditionName, WaitEnd, Waited } from './process/waited.ts';
export type { PortHolder } from './readiness/listening-sockets.ts';
export { findPortHolder } from './readiness/port-holder.ts';
export type { ScheduleNews, ScheduleOptions, ScheduleView } from './schedules/schedule.ts';
export type { SecretOptions } from './secrets/write-secret.ts';
export type {
  Backend,
  BackendCapabilities,
  BackendPort,
  InProcessWork,
  PortableRequest,
  ProcessMode,
  SpawnFiles,
  SpawnRequest,
  ToldFact,
  Work,
} from './spawn/backend.ts';
export type { Hints } from './spawn/environment.ts';
export type { ProcessIdentity } from './spawn/tree/identity.ts';
export type { TableScope } from './spawn/tree/process-table.ts';
export type { ProcessUsage } from './spawn/tree/tree-usage.ts';
export { createFileJournal } from './store/file-journal.ts';
export type { Journal } from './store/journal.ts';
export { createMemoryJournal } from './store/journal.ts';
export { createMemoryRecordStore } from './store/memory-record-store.ts';
export type { DamagedRecord, LoadOptions, RecordReading, RecordStore } from './store/record-store.ts';
export type { ParseRecord } from './store/record-text.ts';
export type { RecoveryReport } from './supervisor/recover.ts';
export type { Completion, RuntimeEvent } from './supervisor/runtime-event.ts';
export type { ShutdownReport } from './supervisor/shutdown-report.ts';
export type { Supervisor } from './supervisor/supervisor.ts';
export type { SupervisorOptions } from './supervisor/supervisor-options.ts';
export type { ToolRequest } from './tools/call-tool.ts';
export { defineTool } from './tools/define-tool.ts';
export {
  type AnthropicTool,
  type GeminiFunction,
  type OpenAiTool,
  toAnthropicTools,
  toGeminiTools,
  toOpenAiTools,
} from './tools/dialects/function-tools.ts';
export { type McpTool, toMcpTools } from './tools/dialects/mcp-tools.ts';
export type { ForeignToolOptions } from './tools/foreign/define-foreign-tool.ts';
export {
  type AiSdkToolOptions,
  fromAiSdkTools,
  type GivenAiSdkTool,
} from './tools/foreign/from-ai-sdk-tools.ts';
export {
  fromMcpClient,
  type GivenMcpTool,
  type McpClientToolOptions,
  type McpToolClient,
} from './tools/foreign/from-mcp-client.ts';
export { offerTools } from './tools/offer-tools.ts';
export type { ToolAliases } from './tools/parse-tool-input.ts';
export type {
  JsonSchema,
  SchemaOutput,
  StandardIssue,
  StandardResult,
  StandardSchema,
} from './tools/standard-schema.ts';
export type {
  CallDirectory,
  NoticeDelivery,
  PreparedCall,
  Tool,
  ToolAnswer,
  ToolContext,
  ToolIntent,
} from './tools/tool.ts';
export {
  type AnsweredCall,
  createToolHost,
  type ToolCallOptions,
  type ToolDecision,
  type ToolHost,
  type ToolHostOptions,
} from './tools/tool-host.ts';
export { processTools, type ToolSetName, toolSets } from './tools/tool-sets.ts';
export type { EnteredDirectory } from './tools/working-directory.ts';
export type { WatchNews, WatchOptions, WatchView } from './watches/watch.ts';
