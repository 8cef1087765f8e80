const list = (text: string): readonly string[] => text.trim().split(/\s+/);

export const CATEGORIES = list(`
  search storage database messaging calendar files code deployment monitoring security billing
  analytics maps weather media translation documents tickets identity memory browser finance
  inventory networking support
`);

export const SERVERS = list(`
  github gitlab jira confluence slack teams drive dropbox s3 postgres mysql mongo redis elastic
  kafka grafana sentry datadog stripe shopify salesforce hubspot zendesk notion airtable linear
  figma docker kubernetes terraform vault okta mail calendar maps weather news browser shell files
`);

export const VERBS = list(`
  list get create update delete search find fetch send read write move copy rename archive restore
  publish schedule cancel approve assign merge compare export import sync validate summarize
  translate convert analyze monitor tag lock resolve estimate
`);

export const QUALIFIERS = list(`
  open closed archived recent shared private pending failed active draft nightly regional primary
  secondary remote local scheduled signed encrypted public team monthly daily urgent internal
  external duplicate stale linked partial
`);

export const NOUNS = list(`
  issue branch commit pipeline release comment page channel message thread folder file bucket
  object table row column index query topic consumer dashboard alert event invoice refund order
  product customer contact ticket note task project board image container volume deployment secret
  role user group session mailbox meeting route forecast article screenshot process document
  schema report record policy token webhook snapshot job
`);

export const PARAMETERS = list(`
  query limit offset cursor id name path project owner repository branch label status from to
  format language timezone recipient subject body priority assignee filter sort include_deleted
  dry_run force timeout depth
`);

export const ENDINGS = [
  'Returns an array of matching entries with their identifiers.',
  'Use this when the exact identifier is not known.',
  'The result is sorted by the time of the last change.',
  'Requires that the caller can see the workspace.',
  'Large results are cut off; ask for the next page with the cursor.',
  'Does not change anything on the remote side.',
  'Fails when the resource is locked by someone else.',
  'Times are UTC, sizes are bytes.',
  'Prefer the batch variant for more than twenty entries.',
  'Wildcards are not supported in this field.',
];
