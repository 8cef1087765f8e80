import type { Fault } from '../errors.ts';
import { jsonLimitFault, schemaFault } from './json-schema-rules.ts';
import type { Definition } from './tool-document.ts';

/** What a definition shall become: absent fields stay, undefined ones go. */
export type DefinitionChange = { [Field in keyof Definition]?: Definition[Field] | undefined };

const MAX_DESCRIPTION_BYTES = 16 * 1024;

/**
 * The rules of a definition that its shape does not say: sizes in bytes, and JSON Schemas.
 * @param at where the definition stands, such as `tools[3]`; '' for the body itself.
 */
export function definitionFaults(definition: DefinitionChange, at: string): Fault[] {
  const faults: Fault[] = [];
  const add = (field: string, reason: string) =>
    faults.push({ field: at === '' ? field : `${at}.${field}`, reason });

  if (Buffer.byteLength(definition.description ?? '') > MAX_DESCRIPTION_BYTES) {
    add('description', 'Description must be at most 16 KiB of UTF-8');
  }
  for (const field of ['input_schema', 'output_schema'] as const) {
    const schema = definition[field];
    const fault = schema === undefined ? undefined : schemaFault(schema);
    if (fault) add(fault.path === '' ? field : `${field}.${fault.path}`, sentence(fault.reason));
  }
  for (const field of ['parameters', 'annotations', 'ml_commons'] as const) {
    const value = definition[field];
    const reason = value === undefined ? undefined : jsonLimitFault(value);
    if (reason) add(field, sentence(reason));
  }
  return faults;
}

function sentence(reason: string): string {
  return reason.startsWith('must') ? `It ${reason}` : reason;
}
