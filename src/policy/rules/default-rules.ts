import { codeRules } from './defaults/code-rules.ts';
import type { DocumentedRule } from './defaults/documented-rule.ts';
import { secretRules } from './defaults/secret-rules.ts';
import { serviceRules } from './defaults/service-rules.ts';
import { settingsRules } from './defaults/settings-rules.ts';
import { systemRules } from './defaults/system-rules.ts';
import { workRules } from './defaults/work-rules.ts';

/** Default rules, the most binding first. */
export const defaultRules: readonly DocumentedRule[] = [
  ...systemRules,
  ...workRules,
  ...serviceRules,
  ...settingsRules,
  ...secretRules,
  ...codeRules,
];
