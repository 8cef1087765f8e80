import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from '@sinclair/typebox';
import { matchesIfNoneMatch, toolETag } from '../catalogue/etag.ts';
import { getTool, listToolVersions } from '../catalogue/get.ts';
import { createToolList } from '../catalogue/list.ts';
import { CONFLICT_POLICIES, registerTools } from '../catalogue/register.ts';
import { removeTool } from '../catalogue/remove.ts';
import { renderTool } from '../catalogue/tool-document.ts';
import { updateTool } from '../catalogue/update.ts';
import { wireTime } from '../catalogue/wire-time.ts';
import type { Embedder } from '../embeddings/embedder.ts';
import { success, successJson } from '../http/answers.ts';
import type { SeenStores } from '../http/authentication.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { pagination } from '../pagination.ts';
import { PAGE_FROM, PAGE_SIZE, ref, StringEnum } from '../schemas/common.ts';
import * as examples from '../schemas/examples.ts';
import { operation } from '../schemas/operation.ts';
import {
  RemovedToolAnswer,
  ToolAnswer,
  ToolDetailAnswer,
  ToolId,
  ToolRegistration,
  ToolsAnswer,
  ToolUpdate,
  ToolVersionsAnswer,
} from '../schemas/tool.ts';
import { ToolListQuery, ToolPageAnswer } from '../schemas/tool-list.ts';

const tags = ['Tools'];
const params = Type.Object({ tool_id: ToolId });
const IfMatch = Type.Object({
  'if-match': Type.Optional(
    Type.String({
      description: 'ETag of the tool as read; refused with 412 when it changed since',
    }),
  ),
});
const IfNoneMatch = Type.Object({
  'if-none-match': Type.Optional(
    Type.String({ description: 'ETag of an earlier answer; 304 when nothing changed since' }),
  ),
});

/** Lucenia's MCP tools API: list, get, versions, register, update, remove. */
export const toolRoutes: FastifyPluginAsyncTypebox<
  SeenStores & { embedder?: Embedder | undefined; metrics: Metrics }
> = async (app, { storeFor, embedder, metrics }) => {
  const listTools = createToolList(embedder, metrics.countRanked);

  app.get(
    '/tools',
    {
      config: { access: 'tools:read' },
      schema: operation(
        {
          operationId: 'listTools',
          summary: 'List tools',
          description: 'One page of the tools that match all filters, with the exact total.',
          tags,
        },
        { querystring: ToolListQuery, headers: IfNoneMatch },
        {
          200: {
            description: 'A page of tools',
            schema: ref(ToolPageAnswer),
            example: examples.page,
            headers: ['ETag'],
          },
          304: { description: 'Nothing changed since', headers: ['ETag'] },
        },
      ),
    },
    async (request, reply) => {
      const page = await listTools(storeFor(request), request.query);
      reply.header('etag', page.etag);
      if (matchesIfNoneMatch(page.etag, request.headers['if-none-match'])) {
        return reply.code(304).send();
      }
      return reply
        .type(JSON_TYPE)
        .send(
          successJson(
            page.isEmpty ? 'No tools found matching the criteria' : 'Tools retrieved successfully',
            page.json,
          ),
        );
    },
  );

  app.get(
    '/tools/:tool_id',
    {
      config: { access: 'tools:read' },
      schema: operation(
        {
          operationId: 'getTool',
          summary: 'Get one tool',
          description: 'The tool with its usage numbers and its newest calls.',
          tags,
        },
        { params, headers: IfNoneMatch, errors: ['NotFoundError'] },
        {
          200: {
            description: 'The tool',
            schema: ref(ToolDetailAnswer),
            example: examples.detail,
            headers: ['ETag'],
          },
          304: { description: 'Nothing changed since', headers: ['ETag'] },
        },
      ),
    },
    async (request, reply) => {
      const { tool, json, usage } = await getTool(storeFor(request), request.params.tool_id);
      const etag = toolETag(tool, usage);
      reply.header('etag', etag);
      if (matchesIfNoneMatch(etag, request.headers['if-none-match'])) return reply.code(304).send();
      return reply.type(JSON_TYPE).send(successJson('Tool retrieved successfully', json));
    },
  );

  app.get(
    '/tools/:tool_id/versions',
    {
      config: { access: 'tools:read' },
      schema: operation(
        {
          operationId: 'listToolVersions',
          summary: "List a tool's former definitions",
          description: 'The definitions that updates replaced, the newest first.',
          tags,
        },
        {
          params,
          querystring: Type.Object({ size: PAGE_SIZE, from: PAGE_FROM }),
          errors: ['NotFoundError'],
        },
        {
          200: {
            description: 'A page of definitions',
            schema: ref(ToolVersionsAnswer),
            example: examples.versions,
          },
        },
      ),
    },
    async (request, reply) => {
      const { size, from } = request.query;
      const { tool_id } = request.params;
      const { versions, total } = await listToolVersions(storeFor(request), tool_id, size, from);
      const block = pagination(total, size, from, versions.length);
      const json = `{"versions":[${versions.join()}],"pagination":${JSON.stringify(block)}}`;
      return reply.type(JSON_TYPE).send(successJson('Versions retrieved successfully', json));
    },
  );

  app.post(
    '/tools',
    {
      config: { access: 'tools:write' },
      schema: operation(
        {
          operationId: 'registerTools',
          summary: 'Register tools',
          description: 'Registers 1 to 500 tools, all or none.',
          tags,
        },
        {
          querystring: Type.Object({
            on_conflict: StringEnum(CONFLICT_POLICIES, {
              default: 'error',
              description:
                'When a name exists: refuse all, keep the existing tool, or update it as PUT does',
            }),
          }),
          body: ref(ToolRegistration),
          errors: ['ConflictError'],
        },
        {
          200: {
            description: 'All of them existed',
            schema: ref(ToolsAnswer),
            example: examples.registered,
          },
          201: { description: 'The tools', schema: ref(ToolsAnswer), example: examples.registered },
        },
      ),
    },
    async (request, reply) => {
      const { tools, created } = await registerTools(
        storeFor(request),
        request.body.tools,
        request.query.on_conflict,
      );
      const json = `{"tools":[${tools.map((tool) => renderTool(tool)).join()}]}`;
      reply.code(created > 0 ? 201 : 200).type(JSON_TYPE);
      return reply.send(successJson('Tools registered successfully', json));
    },
  );

  app.put(
    '/tools/:tool_id',
    {
      config: { access: 'tools:write' },
      schema: operation(
        {
          operationId: 'updateTool',
          summary: 'Update a tool',
          description:
            'Omitted fields stay, given ones are replaced whole; the former definition is kept.',
          tags,
        },
        {
          params,
          headers: IfMatch,
          body: ref(ToolUpdate),
          errors: ['NotFoundError', 'ConflictError', 'PreconditionFailedError'],
        },
        {
          200: {
            description: 'The tool',
            schema: ref(ToolAnswer),
            example: examples.updated,
            headers: ['ETag'],
          },
        },
      ),
    },
    async (request, reply) => {
      const { tool_id } = request.params;
      const ifMatch = request.headers['if-match'];
      const tool = await updateTool(storeFor(request), tool_id, request.body, ifMatch);
      reply.header('etag', toolETag(tool)).type(JSON_TYPE);
      return reply.send(successJson('Tool updated successfully', renderTool(tool)));
    },
  );

  app.delete(
    '/tools/:tool_id',
    {
      config: { access: 'tools:write' },
      schema: operation(
        {
          operationId: 'removeTool',
          summary: 'Remove a tool',
          description: 'Removes the tool and its former definitions.',
          tags,
        },
        {
          params,
          headers: IfMatch,
          querystring: Type.Object({
            force: Type.Boolean({
              default: false,
              description: 'Accepted; nothing prevents a removal',
            }),
            cleanup_dependencies: Type.Boolean({
              default: false,
              description: 'Accepted; nothing depends on a tool',
            }),
          }),
          errors: ['NotFoundError', 'PreconditionFailedError'],
        },
        {
          200: {
            description: 'The removed tool',
            schema: ref(RemovedToolAnswer),
            example: examples.removed,
          },
        },
      ),
    },
    async (request) => {
      const tool = await removeTool(
        storeFor(request),
        request.params.tool_id,
        request.headers['if-match'],
      );
      return success('Tool removed successfully', {
        tool_id: tool.tool_id,
        name: tool.name,
        status: 'removed',
        removed_at: wireTime(Date.now()),
        cleanup_summary: { dependent_agents: 0, active_sessions: 0, cached_results: 0 },
      });
    },
  );
};

const JSON_TYPE = 'application/json; charset=utf-8';
