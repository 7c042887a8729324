import type { Runtime } from './runtime.ts';
import type { ShutdownReport } from './shutdown-report.ts';
import { closeBackends, closeGuards, type SupervisorDeps } from './supervisor-deps.ts';

/** Ends all processes that do not outlive this supervisor, and reports what is left. Never rejects. */
export async function shutDown(runtime: Runtime, deps: SupervisorDeps): Promise<ShutdownReport> {
  const { clock } = deps;
  const { registry, publication } = runtime;
  const startMs = clock.nowMs();
  // Keep references: an ended process may be forgotten at once.
  const { withLeftovers } = registry;
  const concerned = [...registry.live.values(), ...withLeftovers];
  publication.events.next({ type: 'supervisor.stopping', at: clock.epochMs() });

  runtime.schedules.close();
  await runtime.admission.stop(withLeftovers.filter(({ plan }) => plan.lifetime !== 'persistent'));
  const ended = concerned.filter(({ life }) => life.hasEnded);
  await Promise.all(ended.map((process) => process.ended));
  const detached = concerned.filter(({ life }) => life.isDetached);
  // Close the logs so that the next supervisor finds complete files.
  await Promise.all([...registry.ended.values(), ...detached].map((process) => process.output.log.close()));
  runtime.records.flush();

  runtime.watches.close();

  await closeBackends(deps);
  const report: ShutdownReport = {
    durationMs: Math.round(clock.nowMs() - startMs),
    left: detached.map(({ id }) => id),
    ended: ended.filter(({ life }) => !life.hasLeftovers).map(({ id }) => id),
    survivors: await findSurvivors(runtime, deps),
  };
  // With survivors the watchdog keeps running and kills them when this program ends.
  if (report.survivors.length === 0) {
    await closeGuards(deps);
    runtime.records.close();
    unregister(runtime, deps);
  }
  publication.events.next({ type: 'supervisor.stopped', at: clock.epochMs(), report });
  for (const subject of [publication.events, publication.completions, runtime.mailboxes, publication.changes])
    subject.complete();
  return report;
}

/** Removes the entry of this supervisor. A failure is only reported: the entry of a dead program is harmless. */
function unregister({ reportError }: Runtime, { supervisors, supervisorId }: SupervisorDeps): void {
  try {
    supervisors?.unregister(supervisorId);
  } catch (error) {
    reportError(error);
  }
}

/** Returns what is alive at the end of a shutdown. */
export async function findSurvivors(
  { registry }: Pick<Runtime, 'registry'>,
  { trees }: Pick<SupervisorDeps, 'trees'>,
): Promise<ShutdownReport['survivors']> {
  const live = [...registry.live.values()].map(async ({ id, life: { view } }) => {
    const seen = view.status === 'stopping' ? view.survivors : [];
    return { id, members: seen.length > 0 ? seen : ((await trees.get(id)?.survey()) ?? []) };
  });
  // A leftover may have ended without its process knowing yet.
  const left = registry.withLeftovers.map(async ({ id }) => {
    const members = await trees.get(id)?.survey();
    return members?.length === 0 ? [] : [{ id, members: members ?? [] }];
  });
  return [...(await Promise.all(live)), ...(await Promise.all(left)).flat()];
}
