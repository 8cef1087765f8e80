-- Tokens of users. What is kept tells whether a token is right, and cannot be turned into it.
create table tokens (
  -- How it begins and what it is listed by, such as 'tcb_4fZk09QbT1aY'.
  id text primary key,
  owner text not null references users (id) on delete cascade,
  -- The token that made this one, which does not outlive it.
  parent text references tokens (id) on delete cascade,
  name text not null,
  -- SHA-256 of the whole token.
  hash blob not null,
  -- JSON: an array, and an object of the lists that narrow it.
  scopes text not null,
  limits text not null,
  created_at integer not null,
  expires_at integer,
  last_used_at integer
) strict, without rowid;
create index tokens_owner on tokens (owner, created_at);
create index tokens_parent on tokens (parent) where parent is not null;
insert into change_counters (subject, value) values ('tokens', 1);

create index audit_log_at on audit_log (at);
create index audit_log_principal on audit_log (principal, id);
create index audit_log_action on audit_log (action, id);
