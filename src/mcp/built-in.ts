import type {
  CallToolResult,
  ServerContext,
  Tool,
  ToolAnnotations,
} from '@modelcontextprotocol/server';
import type { Static, TObject, TSchema } from '@sinclair/typebox';
import type { Principal, Scope } from '../auth/authorize.ts';
import type { Config } from '../config.ts';
import type { Embedder } from '../embeddings/embedder.ts';
import { createValidatorCompiler } from '../http/validation.ts';
import { isObject, type JsonObject } from '../json.ts';
import { NAMED_SCHEMAS } from '../schemas/named.ts';
import type { SeenStore, Store } from '../store/store.ts';

/** What a built-in tool works with: who calls, and the store whole and as the caller sees its tools. */
export interface CallContext {
  caller: Principal;
  store: Store;
  seen: SeenStore;
  config: Config;
  embedder: Embedder | undefined;
}

/** What a tool gives: text for the model, and the same as data. */
interface ToolAnswer {
  text: string;
  data: object;
}

/** A tool of the server itself. */
export interface BuiltInTool {
  scope: Scope;
  /** As `tools/list` shows it. */
  shown: Tool;
  /** @throws AppError, also for arguments that break the input schema. */
  call: (context: CallContext, args: unknown, request: ServerContext) => Promise<CallToolResult>;
}

interface Description<Input extends TObject> {
  name: string;
  title: string;
  description: string;
  annotations: ToolAnnotations;
  input: Input;
  output: TSchema;
  scope: Scope;
  run: (context: CallContext, args: Static<Input>) => Promise<ToolAnswer | CallToolResult>;
}

const compile = createValidatorCompiler([]);

/** A built-in tool: its schemas are bundled and compiled once, at start. */
export function builtIn<Input extends TObject>(tool: Description<Input>): BuiltInTool {
  const { name, title, description, annotations, scope, run } = tool;
  const inputSchema = argumentSchema(tool.input);
  const check = compile({ schema: inputSchema, httpPart: 'arguments' });
  const defaults = Object.fromEntries(
    Object.entries(inputSchema['properties'] as Record<string, JsonObject>)
      .filter(([, property]) => 'default' in property)
      .map(([key, property]) => [key, property['default']]),
  );
  return {
    scope,
    shown: {
      name,
      title,
      description,
      inputSchema: inputSchema as Tool['inputSchema'],
      outputSchema: bundled(tool.output) as Tool['inputSchema'],
      annotations: { title, ...annotations },
    },
    async call(context, args = {}) {
      const { error } = check(args);
      if (error !== undefined) throw error;
      const answer = await run(context, { ...defaults, ...(args as Static<Input>) });
      if ('content' in answer) return answer as CallToolResult;
      const { text, data } = answer as ToolAnswer;
      return { content: [{ type: 'text', text }], structuredContent: { ...data } };
    },
  };
}

/** The schema of a query or body for clients: what has a default may be left out, nothing may be added. */
function argumentSchema(schema: TObject): JsonObject {
  const {
    required = [],
    properties,
    ...others
  } = bundled(schema) as {
    required?: string[];
    properties: Record<string, JsonObject>;
  };
  return {
    ...others,
    properties,
    required: required.filter((key) => !('default' in (properties[key] ?? {}))),
    additionalProperties: false,
  } as unknown as JsonObject;
}

const NAMED = new Map(NAMED_SCHEMAS.map((schema) => [schema.$id, schema]));

/** The schema as plain JSON, with every named one in the place of its reference. */
function bundled(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(bundled);
  if (!isObject(schema as JsonObject)) return schema;
  const { $ref, $id: _id, examples: _examples, ...own } = schema as Record<string, unknown>;
  if (typeof $ref === 'string') return bundled(NAMED.get($ref));
  return Object.fromEntries(Object.entries(own).map(([key, value]) => [key, bundled(value)]));
}
