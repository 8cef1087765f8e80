import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PASSWORD, USER } from './requests.ts';

/** What is measured, and the yardstick beside it. */
export const COMMAND = fileURLToPath(new URL('../bin/toolcrib.cjs', import.meta.url));
export const BARE = fileURLToPath(new URL('./bare.ts', import.meta.url));

/** The settings of our server with its store in `folder`. */
export function environment(folder: string, port: number): NodeJS.ProcessEnv {
  return {
    TOOLCRIB_DATABASE_URL: `file:${join(folder, 'toolcrib.db')}`,
    TOOLCRIB_PORT: String(port),
    TOOLCRIB_LOG_LEVEL: 'info',
    TOOLCRIB_ADMIN_USER: USER,
    TOOLCRIB_ADMIN_PASSWORD: PASSWORD,
  };
}
