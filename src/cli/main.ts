import { loadConfig } from '../config.ts';
import { startServer } from '../server.ts';

const { config, warnings } = loadConfig();
for (const w of warnings) process.stderr.write(`${w}\n`);
await startServer(config, (line) => process.stderr.write(`${line}\n`));
