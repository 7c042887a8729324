import { readDoors } from './src/packing/doors.ts';

/** @type {Partial<import('typedoc').TypeDocOptions>} */
export default {
  name: 'troupe',
  entryPoints: Object.values(readDoors()),
  tsconfig: 'tsconfig.build.json',
  out: 'docs/api',
  readme: 'none',
  disableSources: true,
  excludeExternals: true,
  excludePrivate: true,
  treatWarningsAsErrors: true,
  intentionallyNotExported: [
    'AiSdkSchema',
    'At',
    'ConversationDeadlineName',
    'ConversationEvent',
    'EndLimit',
    'In',
    'Pausable',
    'ProcessSnapshot',
    '"react".ReactElement',
    'Started',
    'Up',
    'WatchDeadlineName',
    'WatchEvent',
    'otherSignals',
    'permissions',
    'policyOptions',
    'ruleNames',
  ],
};
