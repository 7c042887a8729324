import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { Ask, PermissionQuestion } from '../policy/gate.ts';

/** The one question that a call may have. */
const KEY = 'permission';

/**
 * Asks the person at the client. The library asks in the way of the protocol era: the call is answered with the question, and
 * made again with the person's answer.
 */
export interface ClientQuestion {
  /** `null` where the client cannot ask anybody. */
  readonly ask: Ask | null;
  /** What has to be answered before the call can be made; `null` when nothing was asked, or it was answered already. */
  toInputRequired(): InputRequiredResult | null;
}

export function createClientQuestion(context: ServerContext, server: Server): ClientQuestion {
  let open: PermissionQuestion | null = null;
  const given = inputResponse(context.mcpReq.inputResponses, KEY);
  const ask: Ask = async (question) => {
    if (given.kind === 'elicit') return given.action === 'accept';
    open = question;
    return false;
  };
  return {
    ask: canAsk(capabilitiesOf(context, server)) ? ask : null,
    toInputRequired: () => {
      if (open === null) return null;
      // Nothing to fill in: whoever accepts has consented.
      const requestedSchema = { type: 'object' as const, properties: {} };
      const message = toMessage(open);
      return inputRequired({ inputRequests: { [KEY]: inputRequired.elicit({ message, requestedSchema }) } });
    },
  };
}

/** In the newer era each request carries them. */
function capabilitiesOf({ mcpReq }: ServerContext, server: Server): ClientCapabilities | undefined {
  const envelope = mcpReq.envelope as Record<string, unknown> | undefined;
  return (envelope?.[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities) ?? server.getClientCapabilities();
}

/** An empty object stands for forms: elicitation had no other mode at first. */
function canAsk(capabilities: ClientCapabilities | undefined): boolean {
  const elicitation = capabilities?.elicitation;
  if (elicitation === undefined) return false;
  return elicitation.form !== undefined || Object.keys(elicitation).length === 0;
}

function toMessage({ question, start }: PermissionQuestion): string {
  const asked = question.replace(/[\s.?!]+$/, '');
  if (start === undefined) return `${asked}. Allow it?`;
  const command = typeof start.command === 'string' ? start.command : start.command.join(' ');
  const where = start.cwd === undefined ? '' : ` (in ${start.cwd})`;
  return question.includes(command) ? `${asked}. Allow it?` : `${asked}: ${command}${where}. Allow it?`;
}
