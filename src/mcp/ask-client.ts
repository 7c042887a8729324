import {
  type ClientCapabilities,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { quote } from '../config/quote.ts';
import type { Ask, Consent, PermissionQuestion } from '../policy/authorize.ts';
import { capabilitiesOf } from './client-place.ts';

/** The key of the one question that a call may have. */
const KEY = 'permission';

/** The checkbox that makes consent last for the session. */
const ALWAYS = 'always';

/**
 * Asks the person at the client. The call is answered with the question, and made again with the person's answer; in the older era of
 * the protocol the library does that by itself.
 */
export interface ClientQuestion {
  /** `null` where the client cannot ask a person. */
  readonly ask: Ask | null;
  /** Returns the open question; `null` where none was asked, or it was answered already. */
  toInputRequired(): InputRequiredResult | null;
}

export function createClientQuestion(context: ServerContext, server: Server): ClientQuestion {
  let open: PermissionQuestion | null = null;
  const given = inputResponse(context.mcpReq.inputResponses, KEY);
  const ask: Ask = async (question) => {
    if (given.kind === 'elicit') return toConsent(given);
    open = question;
    return false;
  };
  return {
    ask: canAsk(capabilitiesOf(context, server)) ? ask : null,
    toInputRequired: () => {
      if (open === null) return null;
      const request = { message: toMessage(open), requestedSchema: toSchema(open) };
      return inputRequired({ inputRequests: { [KEY]: inputRequired.elicit(request) } });
    },
  };
}

/** Returns whether the client can ask. An empty object means forms: at first elicitation had no other mode. */
function canAsk(capabilities: ClientCapabilities | undefined): boolean {
  const elicitation = capabilities?.elicitation;
  if (elicitation === undefined) return false;
  return elicitation.form !== undefined || Object.keys(elicitation).length === 0;
}

/** Returns the form: accepting is consent to this call, and no field is required. */
function toSchema({ always }: PermissionQuestion) {
  const box = {
    type: 'boolean' as const,
    title: 'Always',
    description: `Always allow: ${always?.join(' · ')}`,
    default: false,
  };
  return { type: 'object' as const, properties: always === null ? {} : { [ALWAYS]: box } };
}

function toConsent({
  action,
  content,
}: {
  action: string;
  content?: Readonly<Record<string, unknown>>;
}): Consent {
  if (action !== 'accept') return false;
  return content?.[ALWAYS] === true ? 'always' : true;
}

/** Returns everything that a person needs to decide. The command comes last, so that none of its lines looks like ours. */
function toMessage(asked: PermissionQuestion): string {
  const { question, start, arguments: given, agent, callId, reason, always } = asked;
  const command = typeof start?.command === 'string' ? start.command : start?.command.join(' ');
  const others = Object.entries(given).filter(([, value]) => value !== command && value !== start?.cwd);
  const lines = [
    command === undefined ? question : question.replace(quote(command), 'the command below'),
    ...(question.includes(reason) ? [] : [reason]),
    `Asked by ${agent}${callId === null ? '' : `, call ${callId}`}.`,
    ...(start?.cwd === undefined ? [] : [`Directory: ${quote(start.cwd)}`]),
    ...others.map(([name, value]) => `${name}: ${JSON.stringify(value)}`),
    ...(always === null ? [] : [`"Always" would also allow: ${always.join(' · ')}`]),
    ...(command === undefined ? [] : ['Allow this command?', command]),
  ];
  const text = lines.join('\n').replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, ' ');
  return command === undefined ? `${text}\nAllow it?` : text;
}
