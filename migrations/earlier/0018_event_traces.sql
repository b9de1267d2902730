-- An event remembers the trace of the API request that made it happen (W3C Trace Context), so that webhooks carry the trace
-- on to their receivers. Not part of the body: that is signed and served as it is, and a trace is nobody's business but of
-- those who follow it.

alter table events add column traceparent text collate "C";
