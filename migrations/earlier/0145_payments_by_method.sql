-- A page of payments by a rare method was searched among all payments of the organization.
create index payments_method_idx on payments (org_id, method, id);
