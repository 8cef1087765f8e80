import { call } from './report-calls.ts';

/** One wrong call each, and the field that the answer must name. */
export const FAULTS: readonly [object, string][] = [
  [{ success: true }, 'execution_time_ms'],
  [{ execution_time_ms: 1 }, 'success'],
  [call({ execution_time_ms: -0.001 }), 'execution_time_ms'],
  [call({ execution_time_ms: 86_400_000.001 }), 'execution_time_ms'],
  [call({ execution_time_ms: '5' }), 'execution_time_ms'],
  [call({ execution_time_ms: null }), 'execution_time_ms'],
  [call({ success: 'true' }), 'success'],
  [call({ success: 1 }), 'success'],
  [call({ timestamp: '2024-01-01' }), 'timestamp'],
  [call({ timestamp: 1_700_000_000_000 }), 'timestamp'],
  [call({ timestamp: '2026-02-30T00:00:00Z' }), 'timestamp'],
  [call({ timestamp: '2026-01-01T24:00:00Z' }), 'timestamp'],
  [call({ error: 5 }), 'error'],
  [call({ error: 'a\u0000b' }), 'error'],
  [call({ caller: '' }), 'caller'],
  [call({ caller: 'c'.repeat(129) }), 'caller'],
  [call({ call_id: '' }), 'call_id'],
  [call({ call_id: 'c'.repeat(129) }), 'call_id'],
  [call({ reporter: 'me' }), 'reporter'],
];
