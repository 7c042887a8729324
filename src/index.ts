export type {
  EndReason,
  ExitStatus,
  FinalStatus,
  KillReceipt,
  LimitName,
  ProcessSignal,
  Requester,
  SpawnFailureCause,
  TreeMember,
} from '../machines/process/context.ts';
export type { BackendCommand, BackendFact, WriteResult } from '../machines/process/events.ts';
export type { LiveStatus, ProcessStatus } from '../machines/process/view.ts';
export type { Cancel, Clock } from './clock/clock.ts';
export type { Duration } from './config/duration.ts';
export type { CommandSpec, FunctionSpec } from './config/process-spec.ts';
export { TroupeError, type TroupeErrorCode } from './config/troupe-error.ts';
export type { ConversationEvent, TurnOutcome } from './conversation/conversation-event.ts';
export {
  type Conversation,
  type ConversationOptions,
  createConversation,
} from './conversation/create-conversation.ts';
export type {
  ChatDelta,
  ChatMessage,
  ChatModel,
  ChatRequest,
  ToolCall,
  ToolDescription,
} from './models/chat-model.ts';
export { createScriptedModel, type ScriptedReply, type ScriptedStep } from './models/scripted-model.ts';
export type { OutputLine } from './output/lines.ts';
export type { OutputChunk, OutputGap, OutputPiece, StreamPositions } from './output/output-chunk.ts';
export type { OutputSink, OutputStream } from './output/output-sink.ts';
export type { OutputRead, ReadOptions } from './output/read-output.ts';
export type { OutputReader } from './output/reader.ts';
export type { Command } from './process/command.ts';
export type { KillAnswer, KillOptions, LimitChanges, ProcessHandle } from './process/process-handle.ts';
export type {
  FinalFacts,
  FinalView,
  OutputView,
  ProcessKind,
  ProcessView,
  ReadyView,
} from './process/process-view.ts';
export type { BackgroundedData, ProcessBrief, ResultEnvelope } from './process/result-envelope.ts';
export type { TimelineEntry, TimelineEvent } from './process/timeline.ts';
export type {
  Backend,
  BackendCapabilities,
  BackendPort,
  InProcessWork,
  ProcessMode,
  SpawnRequest,
  ToldFact,
  Work,
} from './spawn/backend.ts';
export { createSupervisor } from './supervisor/create-supervisor.ts';
export { startGroup } from './supervisor/group/create-group.ts';
export type { GroupOptions, GroupProcessSpec } from './supervisor/group/group-options.ts';
export type {
  GroupEnd,
  GroupMemberView,
  GroupReadiness,
  GroupStopReport,
  GroupView,
  MemberReadiness,
  ProcessGroup,
} from './supervisor/group/process-group.ts';
export type { RestartStrategy } from './supervisor/group/restart-scope.ts';
export type { PortHolder } from './supervisor/readiness/listening-sockets.ts';
export { findPortHolder } from './supervisor/readiness/port-holder.ts';
export type { Completion, RuntimeEvent } from './supervisor/runtime-event.ts';
export type { ShutdownReport } from './supervisor/shutdown-report.ts';
export type { Supervisor } from './supervisor/supervisor.ts';
export type { SupervisorOptions } from './supervisor/supervisor-options.ts';
export { processTools } from './tools/process-tools.ts';
export { defineTool, type Tool, type ToolAnswer, type ToolContext } from './tools/tool.ts';
