/** Writes the pages of the reference that are made from the code: `npm run reference`. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { toAgentFilesPage } from './agent-files-page.ts';
import { toErrorCodesPage } from './error-codes-page.ts';
import { toOptionsPage } from './options-page.ts';
import { toPolicyRulesPage } from './policy-rules-page.ts';

/** The content of each page that is made from the code, by its file. */
export const generatedPages: Readonly<Record<string, () => string>> = {
  'agent-files.md': toAgentFilesPage,
  'error-codes.md': toErrorCodesPage,
  'options.md': toOptionsPage,
  'policy-rules.md': toPolicyRulesPage,
};

if (import.meta.main) {
  for (const [file, toText] of Object.entries(generatedPages))
    writeFileSync(join(import.meta.dirname, file), toText());
}
