-- baseline

-- Alerts by e-mail: which were raised lately, so that trouble that comes and goes is one mail an hour, and who wants none.
create table alerts (
  org_id text collate "C" not null,
  kind text not null,
  -- The endpoint, number, key or approval it is about.
  subject text collate "C" not null,
  -- Of an endpoint `degraded` or `disabled`, of a key the days that are left.
  stage text not null,
  raised_at timestamptz not null,

  constraint alerts_pkey primary key (org_id, kind, subject, stage)
);
create index alerts_raised_at_idx on alerts (org_id, raised_at);

create table alert_opt_outs (
  person_id text collate "C" not null constraint alert_opt_outs_person_id_fkey references people (id) on delete cascade,
  kind text not null,

  constraint alert_opt_outs_pkey primary key (person_id, kind)
);
