// The yardstick of bench/mcp/main.ts: the SDK behind Node's server, with one tool that does nothing.
// Argument: the port.
import { createServer } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, Server } from '@modelcontextprotocol/server';

const handler = toNodeHandler(
  createMcpHandler(() => {
    const server = new Server(
      { name: 'nothing', version: '1.0.0' },
      { capabilities: { tools: {} } },
    );
    server.setRequestHandler('tools/list', () => ({
      tools: [{ name: 'nothing', inputSchema: { type: 'object' } }],
    }));
    server.setRequestHandler('tools/call', () => ({ content: [{ type: 'text', text: 'done' }] }));
    return server;
  }),
);

const server = createServer((request, response) => {
  if (request.url === '/readyz') response.end('{}');
  else void handler(request as Parameters<typeof handler>[0], response);
});
process.on('SIGTERM', () => server.close());
server.listen(Number(process.argv[2]), '127.0.0.1');
