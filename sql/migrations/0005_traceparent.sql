-- The trace in which an application committed an event (W3C Trace Context), so that the calls made for it belong to
-- the same one. Applications that trace their transactions say `set local sagabox.traceparent = '…'` once; every
-- way in takes it from there. No check: a bad value must never fail the business transaction, and relays ignore it.
alter table outbox_events
    add column traceparent text default nullif(current_setting('sagabox.traceparent', true), '');
