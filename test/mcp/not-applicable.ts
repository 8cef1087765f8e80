/** Scenarios of the conformance runner that ask for what this server does not offer, and why. */
export const NOT_APPLICABLE: Record<string, Record<string, string[]>> = {
  '2025-11-25': {
    'no logging by the protocol: the log is the process’s own': [
      'logging-set-level',
      'tools-call-with-logging',
    ],
    'no completion: there are no prompts and resource templates to complete': [
      'completion-complete',
    ],
    'no requests to the client: a server without sessions has nobody to ask': [
      'tools-call-sampling',
      'tools-call-elicitation',
      'elicitation-sep1034-defaults',
      'elicitation-sep1330-enums',
    ],
    'no resources: their list is empty': [
      'resources-read-text',
      'resources-read-binary',
      'resources-templates-read',
      'resources-subscribe',
      'resources-unsubscribe',
    ],
    'no prompts: their list is empty': [
      'prompts-get-simple',
      'prompts-get-with-args',
      'prompts-get-embedded-resource',
      'prompts-get-with-image',
    ],
    'no streams that can be resumed: every request has one answer': [
      'server-sse-polling',
      'server-sse-multiple-streams',
    ],
  },
  '2026-07-28': {
    'no completion: there are no prompts and resource templates to complete': [
      'completion-complete',
    ],
    'no resources: their list is empty': [
      'resources-read-text',
      'resources-read-binary',
      'resources-templates-read',
    ],
    'no prompts: their list is empty': [
      'prompts-get-simple',
      'prompts-get-with-args',
      'prompts-get-embedded-resource',
      'prompts-get-with-image',
    ],
    'no tool asks the client for more before it answers': [
      'input-required-result-basic-elicitation',
      'input-required-result-basic-sampling',
      'input-required-result-basic-list-roots',
      'input-required-result-request-state',
      'input-required-result-multiple-input-requests',
      'input-required-result-multi-round',
      'input-required-result-missing-input-response',
      'input-required-result-non-tool-request',
      'input-required-result-result-type',
      'input-required-result-tampered-state',
      'input-required-result-capability-check',
      'input-required-result-ignore-extra-params',
      'server-stateless:sep-2575-server-rejects-undeclared-capability',
      'server-stateless:sep-2575-missing-capability-http-400',
      'server-stateless:sep-2575-http-server-no-independent-requests-on-stream',
    ],
    'no logging by the protocol: the log is the process’s own': [
      'server-stateless:sep-2575-server-no-log-without-loglevel',
    ],
  },
};
